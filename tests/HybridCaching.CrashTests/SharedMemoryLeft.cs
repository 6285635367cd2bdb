using System.Text;

namespace HybridCaching.CrashTests;

/// <summary>What a killed process leaves in memory that outlives it. It does not outlive the machine.</summary>
internal static class SharedMemoryLeft
{
    private const string Memory = "/dev/shm";
    private const int HeaderBytes = 4096;

    /// <summary>Deletes what leads to the records of a folder that nobody uses.</summary>
    public static void Delete(string folder)
    {
        byte[] name = [.. Encoding.UTF8.GetBytes(folder), 0];
        foreach (string file in Directory.EnumerateFiles(Memory, "hybridcaching-*"))
        {
            if (HeaderOf(file).AsSpan().IndexOf(name) >= 0) File.Delete(file);
        }
    }

    /// <returns>Empty if it is in use.</returns>
    private static byte[] HeaderOf(string file)
    {
        try
        {
            using var stream = File.OpenRead(file);
            byte[] header = new byte[HeaderBytes];
            stream.ReadAtLeast(header, HeaderBytes, throwOnEndOfStream: false);
            return header;
        }
        catch (IOException)
        {
            return [];
        }
    }
}
