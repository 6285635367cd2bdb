using System.Text;

namespace HybridCaching.CrashTests;

/// <summary>What a killed process leaves in memory that outlives it. It does not outlive the machine.</summary>
internal static class SharedMemoryLeft
{
    private const string Directory = "/dev/shm";
    private const int HeaderBytes = 4096;

    /// <summary>Deletes what leads to the records of a folder. Others, which are in use, are only looked at.</summary>
    public static void Delete(string folder)
    {
        byte[] name = [.. Encoding.UTF8.GetBytes(folder), 0];
        foreach (string file in System.IO.Directory.EnumerateFiles(Directory, "hybridcaching-*"))
        {
            byte[] header = new byte[HeaderBytes];
            using (var stream = new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete)) stream.ReadAtLeast(header, HeaderBytes, throwOnEndOfStream: false);
            if (header.AsSpan().IndexOf(name) >= 0) File.Delete(file);
        }
    }
}
