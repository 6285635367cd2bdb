using System.Collections.Concurrent;
using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Concurrency;

/// <summary>
/// Writers that own their keys and never stop for long, while checkpoints are asked for again and again. Nothing may be lost or out of date, no call may fail, and whenever a manifest is in place,
/// a kill would leave exactly what has been acknowledged by then: copies of the folder are opened and judged.
/// </summary>
/// <remarks>A key has one writer, whose operations on it, sets and removals alike, are numbered. The caches are so large that they need not forget anything.</remarks>
internal abstract class RestRun(string folder, int keys, int writers) : IDisposable
{
    private const int LongestBurst = 200;
    private const int MostPausingSpins = 4_000;
    private const int PatientSpins = 20;

    private readonly ConcurrentQueue<string> _violations = new();
    private readonly long[] _begun = new long[keys];
    private readonly long[] _over = new long[keys];

    /// <summary>The number of the value that is there once the operation that was over last is; 0 for none.</summary>
    private readonly long[] _present = new long[keys];
    private int _tick;
    private int _pausing;
    private volatile bool _mustPause;
    private volatile bool _isOver;

    public IReadOnlyCollection<string> Violations => _violations;

    /// <summary>How many checkpoints there were.</summary>
    public int Rests { get; private set; }

    /// <summary>How many copies were judged.</summary>
    public int Copies { get; private set; }

    /// <summary>How long a checkpoint may take, in milliseconds, at random up to this; 0 for any time.</summary>
    public int MostPatience { get; init; }

    /// <summary>The device of the cache.</summary>
    public abstract LogDevice Device { get; }

    protected int Keys => keys;

    /// <summary>Works until the time is over.</summary>
    public void Go(Duration duration) => Crew.Run(writers + 1, me =>
    {
        if (me < writers) Write(me);
        else Keep(duration);
    });

    /// <summary>Works until the cache is disposed, which happens at any moment, perhaps in the middle of a checkpoint.</summary>
    public void GoUntilDisposed(int seed) => Crew.Run(writers + 2, me =>
    {
        try
        {
            if (me < writers) Write(me);
            else if (me == writers) Keep(Duration.Of(60));
            else DisposeSomeTime(new Random(seed));
        }
        catch (ObjectDisposedException)
        {
            // The end.
        }
    });

    /// <summary>Judges what is there when nobody does anything.</summary>
    public void JudgeAll(string when)
    {
        for (int key = 0; key < keys; key++) Judge(when, key, Read(key), _over[key], _over[key], _begun[key], _present[key]);
    }

    /// <summary>Judges what is there in a cache that was opened after the one of another run was closed, perhaps in the middle of calls.</summary>
    public void JudgeAsAfter(RestRun run)
    {
        for (int key = 0; key < keys; key++) Judge("after a restart", key, Read(key), run._over[key], run._over[key], run._begun[key], run._present[key]);
    }

    /// <summary>Judges all keys of a cache that was opened from a copy of the folder.</summary>
    /// <param name="directory">Where the copy is.</param>
    /// <param name="read">Reads the number of a key's value; 0 for none.</param>
    /// <returns>How many warnings opening it had.</returns>
    protected abstract int OpenCopy(string directory, Action<Func<int, long>> read);

    protected abstract void Set(int key, int writer, long number, Random random);

    protected abstract void Remove(int key);

    /// <summary>The number of a key's value; 0 for none. Throws if it is no value of the key.</summary>
    protected abstract long Read(int key);

    protected abstract Task<bool> CheckpointAsync(CancellationToken cancellationToken);

    public abstract void Dispose();

    private void Write(int me)
    {
        var random = new Random(me);
        try
        {
            while (!IsOver)
            {
                for (int burst = random.Next(LongestBurst); burst > 0 && !IsOver; burst--) WriteOnce(me, random);
                if (_mustPause) Pause(random);
            }
        }
        catch (Exception e) when (e is not ObjectDisposedException)
        {
            _violations.Enqueue(e.ToString());
            throw;
        }
    }

    /// <summary>Does nothing while a checkpoint is written, or wakes the cache before that is over, or soon afterwards.</summary>
    private void Pause(Random random)
    {
        int tick = Volatile.Read(ref _tick);
        int patience = random.Next(4) > 0 ? int.MaxValue : random.Next(MostPausingSpins);
        int spinsBeforeSleep = patience == int.MaxValue ? PatientSpins : -1; // who waits to the end leaves the processor to others
        Interlocked.Increment(ref _pausing);
        var spin = new SpinWait();
        for (int i = 0; i < patience && tick == Volatile.Read(ref _tick) && !IsOver; i++) spin.SpinOnce(spinsBeforeSleep);
        Interlocked.Decrement(ref _pausing);
    }

    private void WriteOnce(int me, Random random)
    {
        int key = (random.Next(keys / writers) * writers) + me;
        long number = _begun[key] + 1;
        Volatile.Write(ref _begun[key], number);
        bool remove = random.Next(4) == 0;
        if (remove) Remove(key);
        else Set(key, me, number, random);
        Volatile.Write(ref _present[key], remove ? 0 : number);
        Volatile.Write(ref _over[key], number);
        long read = Read(key);
        if (read != (remove ? 0 : number)) _violations.Enqueue($"key {key}: {read}, though {number} ({(remove ? "a removal" : "a set")}) is over");
    }

    private void Keep(Duration duration)
    {
        var random = new Random(keys);
        try
        {
            while (!duration.IsOver && !IsOver)
            {
                _mustPause = random.Next(3) > 0;
                if (_mustPause) AwaitPause();
                using var cancel = MostPatience == 0 ? new CancellationTokenSource() : new CancellationTokenSource(random.Next(MostPatience));
                if (CheckpointAsync(cancel.Token).Result())
                {
                    Rests++;
                    JudgeCopy();
                }

                _mustPause = false;
                Interlocked.Increment(ref _tick);
            }
        }
        finally
        {
            _isOver = true;
        }
    }

    private void AwaitPause()
    {
        var spin = new SpinWait();
        for (int i = 0; i < MostPausingSpins && Volatile.Read(ref _pausing) < writers && !IsOver; i++) spin.SpinOnce(sleep1Threshold: -1);
    }

    private void DisposeSomeTime(Random random)
    {
        int ticks = 1 + random.Next(6);
        Until.True(() => Volatile.Read(ref _tick) >= ticks || _isOver, "checkpoints are asked for");
        Thread.SpinWait(random.Next(200_000));
        Dispose();
        _isOver = true;
    }

    /// <summary>Copies the folder as a kill would leave it, if the manifest stays in its place so long: then the copy is of one moment.</summary>
    private void JudgeCopy()
    {
        using var copy = new TestDirectory();
        string target = copy.Combine(Path.GetFileName(folder));
        var before = Snapshot(_over);
        if (!TryCopy(target)) return;
        var over = Snapshot(_over);
        var present = Snapshot(_present);
        if (!IsSameManifest(target)) return;
        var begun = Snapshot(_begun);
        int warnings = OpenCopy(copy.Path, read =>
        {
            for (int key = 0; key < keys; key++) Judge("in a copy", key, read(key), before[key], over[key], begun[key], present[key]);
        });
        if (warnings > 0) _violations.Enqueue("a copy beside a manifest opens with warnings");
        Copies++;
    }

    private void Judge(string when, int key, long read, long before, long over, long begun, long present)
    {
        bool isQuiet = before == begun;
        if (isQuiet && read != present) _violations.Enqueue($"key {key} {when}: {read}, though {present} is there, nothing having happened to it");
        else if (read != 0 && (read < over || read > begun)) _violations.Enqueue($"key {key} {when}: {read}, though {over} was over and {begun} begun");
    }

    private bool TryCopy(string target)
    {
        try
        {
            if (!File.Exists(ManifestIn(folder))) return false;
            StampCache.Copy(folder, target);
            return File.Exists(ManifestIn(target));
        }
        catch (IOException)
        {
            return false; // somebody has woken the cache, and files go
        }
    }

    private bool IsSameManifest(string target)
    {
        try
        {
            return File.ReadAllBytes(ManifestIn(folder)).AsSpan().SequenceEqual(File.ReadAllBytes(ManifestIn(target)));
        }
        catch (IOException)
        {
            return false;
        }
    }

    private bool IsOver => _isOver || _violations.Count > 20;

    private static string ManifestIn(string path) => Path.Combine(path, "manifest");

    private static long[] Snapshot(long[] numbers)
    {
        var copy = new long[numbers.Length];
        for (int i = 0; i < copy.Length; i++) copy[i] = Volatile.Read(ref numbers[i]);
        return copy;
    }
}
