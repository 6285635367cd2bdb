using System.Numerics;
using System.Runtime.InteropServices;
using HybridCaching.Throughput.Native;
using HybridCaching.Throughput.Workloads;
using Microsoft.Win32.SafeHandles;

namespace HybridCaching.Throughput.Contestants;

/// <summary>What no store can do better than, with this memory and this disk; no store itself. It knows beforehand which entries are asked for most, and has the values of as many as the memory holds without anything beside them.</summary>
/// <remarks>
/// Every other value is read from the disk by the thread that asks for it, with one call of the system: the one block that it lies in, past the page cache unless that is free for all. Which entry is where takes a look into an array, that an entry on the disk is
/// overwritten takes nothing: it keeps the value that it has. From the first new entry on the newest are the popular ones: these are in memory then, at no cost, and what has left it is where an older entry lies on the disk. It is costs that count, so values are
/// marked as those of their keys when they are read.
/// </remarks>
internal sealed unsafe class BoundContestant : IContestant
{
    private const int BlockBytes = 4096;
    private const int OnDisk = -1;

    private readonly int _slotBytes;
    private readonly int _valueBytes;
    private readonly int _inMemory;
    private readonly byte* _memory;
    private readonly int[] _placeInMemory;
    private readonly bool[] _isStored;
    private readonly SafeFileHandle _written;
    private readonly SafeFileHandle _read;
    private int _stored;

    /// <summary>The greatest number of an entry that was added to those that there were at first.</summary>
    private long _newest;

    public BoundContestant(Conditions conditions, string directory)
    {
        _valueBytes = conditions.ValueBytes;
        _slotBytes = (int)BitOperations.RoundUpToPowerOf2((uint)_valueBytes); // none lies in two blocks
        _inMemory = (int)Math.Min(conditions.Entries, conditions.Memory / _valueBytes);
        _memory = (byte*)NativeMemory.Alloc((nuint)_inMemory, (nuint)_valueBytes);
        _placeInMemory = PlacesFor(conditions.Entries, _inMemory);
        _isStored = new bool[conditions.Entries];
        string path = Path.Combine(directory, "values");
        _written = File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.ReadWrite);
        RandomAccess.SetLength(_written, ((long)conditions.Entries * _slotBytes) + BlockBytes); // so that the last block is whole
        _read = (conditions.PageCache == PageCacheUse.Budgeted ? DirectFile.TryOpen(path) : null) ?? _written;
        Settings = FormattableString.Invariant($"no store: the {_inMemory:N0} values asked for most in memory, each other one a read of the block it lies in, {(IsDirect ? "past" : "through")} the page cache");
    }

    public string Settings { get; }

    public long? MemoryInUse => (long)_inMemory * _valueBytes;

    private bool IsDirect => _read != _written;

    public IClient NewClient() => new Client(this);

    public void Dispose()
    {
        _read.Dispose();
        _written.Dispose();
        NativeMemory.Free(_memory);
    }

    /// <returns>For each entry its place in memory, or <see cref="OnDisk"/>.</returns>
    private static int[] PlacesFor(int entries, int inMemory)
    {
        var population = new Population(entries);
        double[] unpopularity = new double[entries];
        for (int rank = 0; rank < entries; rank++) unpopularity[population.At(rank, isLatest: false)] = -Math.Pow(rank + 1, -Mix.Skew);
        int[] numbers = [.. Enumerable.Range(0, entries)];
        Array.Sort(unpopularity, numbers);
        int[] places = new int[entries];
        Array.Fill(places, OnDisk);
        for (int place = 0; place < inMemory; place++) places[numbers[place]] = place;
        return places;
    }

    private Span<byte> InMemory(int place) => new(_memory + ((long)place * _valueBytes), _valueBytes);

    private void Store(long number, byte[] value)
    {
        if (number >= _isStored.Length)
        {
            value.CopyTo(InMemory((int)(number % _inMemory)));
            while (Volatile.Read(ref _newest) is var newest && newest < number) Interlocked.CompareExchange(ref _newest, number, newest);
            return;
        }

        int place = _placeInMemory[number];
        bool isFirst = !_isStored[number];
        if (place != OnDisk) value.CopyTo(InMemory(place));
        if (!isFirst) return;
        RandomAccess.Write(_written, value, number * _slotBytes);
        _isStored[number] = true;
        if (Interlocked.Increment(ref _stored) == _isStored.Length && IsDirect) LeavePageCache();
    }

    private void LeavePageCache()
    {
        RandomAccess.FlushToDisk(_written);
        PageCacheImports.AdviseFile((int)_written.DangerousGetHandle(), 0, 0, PageCacheImports.DontNeed);
    }

    private sealed class Client(BoundContestant contestant) : IClient
    {
        private readonly byte* _block = (byte*)NativeMemory.AlignedAlloc(BlockBytes, BlockBytes);

        public int Get(long number, byte[] destination)
        {
            if (Volatile.Read(ref contestant._newest) is > 0 and var newest) return GetLatest(number, newest, destination);
            if (number >= contestant._isStored.Length || !contestant._isStored[number]) return IClient.Missing;
            int place = contestant._placeInMemory[number];
            return place != OnDisk ? Copy(place, destination) : Read(number, destination);
        }

        public void Set(long number, byte[] value) => contestant.Store(number, value);

        public void Dispose() => NativeMemory.AlignedFree(_block);

        private int GetLatest(long number, long newest, byte[] destination)
        {
            if (number > newest) return IClient.Missing;
            int length = number > newest - contestant._inMemory ? Copy((int)(number % contestant._inMemory), destination) : Read(number % contestant._isStored.Length, destination);
            ValueStamp.Put(number, destination.AsSpan(0, length));
            return length;
        }

        private int Copy(int place, byte[] destination)
        {
            contestant.InMemory(place).CopyTo(destination);
            return contestant._valueBytes;
        }

        private int Read(long number, byte[] destination)
        {
            long offset = number * contestant._slotBytes;
            var block = new Span<byte>(_block, BlockBytes);
            RandomAccess.Read(contestant._read, block, offset & -BlockBytes);
            block.Slice((int)(offset & (BlockBytes - 1)), contestant._valueBytes).CopyTo(destination);
            return contestant._valueBytes;
        }
    }
}
