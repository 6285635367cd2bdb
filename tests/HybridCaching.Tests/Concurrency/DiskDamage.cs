using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Tests.Concurrency;

/// <summary>Damages what a cache has on the disk, while it is open.</summary>
internal sealed class DiskDamage(string folder)
{
    private const int PerFile = 4;

    private readonly Random _random = new(1);

    /// <summary>How many bytes were changed.</summary>
    public long Count { get; private set; }

    /// <summary>Changes some bytes of each file of both logs.</summary>
    public void Go()
    {
        foreach (string path in Directory.EnumerateFiles(folder, "log-*").Concat(Directory.EnumerateFiles(folder, "main-*")))
        {
            try
            {
                using var file = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
                for (int i = 0; i < PerFile; i++) Change(file, _random.NextInt64(RandomAccess.GetLength(file)));
            }
            catch (FileNotFoundException)
            {
                // Deleted since it was listed.
            }
        }
    }

    private void Change(SafeFileHandle file, long at)
    {
        Span<byte> it = [0];
        if (RandomAccess.Read(file, it, at) == 0) return;
        it[0] ^= (byte)_random.Next(1, 256);
        RandomAccess.Write(file, it, at);
        Count++;
    }
}
