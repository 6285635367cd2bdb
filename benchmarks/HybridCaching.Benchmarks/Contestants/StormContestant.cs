using System.Buffers;
using HybridCaching.Benchmarks.Workloads;
using Microsoft.Extensions.Caching.Distributed;

namespace HybridCaching.Benchmarks.Contestants;

/// <summary>A <see cref="FasterDistributedCache"/> whose every key comes and goes in sizes from 50 bytes to 300 kB, small ones as often as large ones on a scale of logarithms.</summary>
internal sealed class StormContestant : IContestant
{
    private const int Keys = 20_000;
    private const int SmallestValue = 50;
    private const int LargestValue = 300_000;
    private const int TypicalEntryBytes = 16 << 10;

    private static readonly DistributedCacheEntryOptions NeverExpires = new();

    private readonly string[] _keys = [.. Enumerable.Range(0, Keys).Select(number => ByteEntries.KeyOf(number))];
    private readonly WorkDirectory _directory = new();
    private readonly byte[][] _values;
    private readonly ArrayBufferWriter<byte>[] _writers;

    public StormContestant(long memoryBudget, long diskBudget, int workers)
    {
        _values = [.. Enumerable.Range(0, workers).Select(_ => new byte[LargestValue])];
        _writers = [.. Enumerable.Range(0, workers).Select(_ => new ArrayBufferWriter<byte>(LargestValue))];
        Cache = DistributedContestant.New(_directory, memoryBudget, diskBudget, LargestValue, TypicalEntryBytes);
    }

    public FasterDistributedCache Cache { get; }

    public string Folder => _directory.Path;

    public string Name => "storm";

    public long? MemoryInUse => Cache.GetMemoryUsage().Total;

    public int Add(int worker, ReadOnlySpan<long> keys) => throw new NotSupportedException();

    public int Read(int worker, ReadOnlySpan<long> keys) => throw new NotSupportedException();

    public int Overwrite(int worker, ReadOnlySpan<long> keys) => throw new NotSupportedException();

    public int ReadModifyWrite(int worker, ReadOnlySpan<long> keys) => throw new NotSupportedException();

    /// <summary>Half of the calls store, a quarter and an eighth read, an eighth removes. The bits of a number say which, where and how much.</summary>
    public int Mix(int worker, ReadOnlySpan<long> draws)
    {
        foreach (long bits in draws)
        {
            int number = (int)((bits >> 40) % Keys);
            switch ((bits >> 20) & 7)
            {
                case <= 3:
                    Set(worker, number, SizeOf((ushort)(bits >> 24)));
                    break;
                case 4:
                    Cache.Remove(_keys[number]);
                    break;
                default:
                    Read(worker, number);
                    break;
            }
        }

        return draws.Length;
    }

    public void Dispose()
    {
        Cache.Dispose();
        _directory.Dispose();
    }

    private static int SizeOf(ushort draw) => (int)(SmallestValue * Math.Pow((double)LargestValue / SmallestValue, draw / (double)ushort.MaxValue));

    private void Set(int worker, int number, int bytes)
    {
        byte[] value = _values[worker];
        ValueStamp.Put(number, value.AsSpan(0, bytes));
        Cache.Set(_keys[number], new ReadOnlySequence<byte>(value, 0, bytes), NeverExpires);
    }

    private void Read(int worker, int number)
    {
        var writer = _writers[worker];
        writer.ResetWrittenCount();
        if (Cache.TryGet(_keys[number], writer)) ValueStamp.Check(number, writer.WrittenSpan);
    }
}
