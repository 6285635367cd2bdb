namespace HybridCaching.Tests.Support;

/// <summary>Files that can be read past the page cache without waiting: nothing of them has still to be written.</summary>
internal static class FlushedFile
{
    public static void Write(string path, ReadOnlySpan<byte> bytes)
    {
        using var file = File.Create(path);
        file.Write(bytes);
        file.Flush(flushToDisk: true);
    }
}
