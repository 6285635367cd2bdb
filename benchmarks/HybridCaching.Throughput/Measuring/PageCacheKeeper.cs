using HybridCaching.Throughput.Native;

namespace HybridCaching.Throughput.Measuring;

/// <summary>
/// Holds down what the page cache keeps of the files of a contestant that knows no direct I/O, so that it and the memory that the process has grown by fit the budget together:
/// pages beyond it are thrown out at random. The kernel would choose better.
/// </summary>
/// <remarks>
/// What is mapped into memory is read ahead by Linux, up to 1.5 MB for a record of a kilobyte (LevelDB's files; LMDB asks for none itself), so mappings are declared random. A memory cgroup could do it instead, but only as root, and where the program may make one. What is thrown out is read again from the disk, so it is dearer for who relies on it, as it should be.
/// </remarks>
internal sealed class PageCacheKeeper : IDisposable
{
    /// <summary>The largest unit in which Linux caches a file; what lies partly outside a range is not thrown out.</summary>
    private const int ChunkBytes = 2 << 20;

    /// <summary>So many looks at the page cache for each one at the mappings, which takes longer.</summary>
    private const int LooksPerMapping = 10;

    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(25);

    private readonly string _folder;
    private readonly long _budget;
    private readonly long _anonymousBefore;
    private readonly Random _random = new(1);
    private readonly HashSet<MappedFile> _declared = [];
    private readonly Thread _thread;
    private volatile bool _stopped;
    private volatile bool _isWithinBudget;

    public PageCacheKeeper(string folder, long budget, long anonymousBefore)
    {
        _folder = folder;
        _budget = budget;
        _anonymousBefore = anonymousBefore;
        _thread = new Thread(Keep) { IsBackground = true, Name = nameof(PageCacheKeeper) };
        _thread.Start();
    }

    /// <summary>Whether nothing had to be thrown out when it was looked last.</summary>
    public bool IsWithinBudget => _isWithinBudget;

    public void Dispose()
    {
        _stopped = true;
        _thread.Join();
    }

    private void Keep()
    {
        for (int look = 0; !_stopped; look++)
        {
            Thread.Sleep(Interval);
            var (cached, dirty) = PageCache.Of(_folder);
            long allowed = Math.Max(_budget - Math.Max(0, ProcessFigures.Anonymous() - _anonymousBefore), _budget / 16);
            _isWithinBudget = cached <= allowed;
            if (_isWithinBudget && look % LooksPerMapping != 0) continue;
            var mapped = MappedFile.AllIn(_folder);
            foreach (var map in mapped.Where(_declared.Add)) map.DeclareRandom();
            if (!_isWithinBudget) ThrowOut(mapped, (double)(cached - allowed) / cached, writeFirst: dirty > allowed / 4);
        }
    }

    /// <summary>Throws out a share of what is cached.</summary>
    private void ThrowOut(IReadOnlyList<MappedFile> mapped, double share, bool writeFirst)
    {
        foreach (string path in Directory.EnumerateFiles(_folder, "*", SearchOption.AllDirectories))
        {
            using var file = PageCache.TryOpen(path);
            if (file is null) continue;
            int descriptor = (int)file.DangerousGetHandle();
            long length = RandomAccess.GetLength(file);
            if (writeFirst) PageCacheImports.SyncFileRange(descriptor, 0, 0, PageCacheImports.BeginWriting);
            var maps = mapped.Where(map => map.Path == path).ToArray();
            for (long offset = 0; offset < length && !_stopped; offset += ChunkBytes)
            {
                if (_random.NextDouble() >= share) continue;
                foreach (var map in maps) map.PageOut(offset, ChunkBytes);
                PageCacheImports.AdviseFile(descriptor, offset, ChunkBytes, PageCacheImports.DontNeed);
            }
        }
    }
}
