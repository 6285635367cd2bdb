namespace HybridCaching.Tests.Support;

/// <summary>What a folder takes on the disk.</summary>
public static class FolderSize
{
    private const long Block = 4096;

    /// <summary>Bytes of its files, rounded up to blocks, and of the folder. Files that go while this is counted count as gone.</summary>
    public static long Of(string folder)
    {
        long bytes = Block;
        foreach (string file in Directory.EnumerateFiles(folder)) bytes += (LengthOf(file) + Block - 1) / Block * Block;
        return bytes;
    }

    /// <summary>The length of a file; none if it was removed since it was listed.</summary>
    public static long LengthOf(string file)
    {
        try
        {
            return new FileInfo(file).Length;
        }
        catch (FileNotFoundException)
        {
            return 0;
        }
    }
}
