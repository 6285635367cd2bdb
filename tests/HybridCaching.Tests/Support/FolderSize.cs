namespace HybridCaching.Tests.Support;

/// <summary>What a folder takes on the disk.</summary>
public static class FolderSize
{
    private const long Block = 4096;

    /// <summary>Bytes of its files, rounded up to blocks, and of the folder. Files that go while this is counted count as gone.</summary>
    public static long Of(string folder)
    {
        long bytes = Block;
        foreach (string file in Directory.EnumerateFiles(folder))
        {
            try
            {
                bytes += (new FileInfo(file).Length + Block - 1) / Block * Block;
            }
            catch (FileNotFoundException)
            {
                // Removed since it was listed.
            }
        }

        return bytes;
    }
}
