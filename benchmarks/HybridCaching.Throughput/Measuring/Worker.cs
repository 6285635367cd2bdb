using System.Buffers.Binary;
using System.Diagnostics;
using HybridCaching.Throughput.Contestants;
using HybridCaching.Throughput.Native;
using HybridCaching.Throughput.Workloads;

namespace HybridCaching.Throughput.Measuring;

/// <summary>One thread that does what a workload asks for, and checks every value that it reads. Its memory is taken once, so that none of it counts as a contestant's.</summary>
internal sealed class Worker(Population population, Choices choices, int valueBytes)
{
    private readonly byte[] _read = new byte[valueBytes];
    private readonly byte[] _written = NewValue(valueBytes);
    private long _sets;

    /// <summary>What it works with.</summary>
    public IClient Client { get; set; } = new EchoClient();

    /// <summary>Reads and scans; in an open loop from the time at which they should have begun.</summary>
    public Latencies Reads { get; } = new();

    /// <summary>All that writes.</summary>
    public Latencies Writes { get; } = new();

    public long Misses { get; private set; }

    /// <summary>Begins to count anew.</summary>
    public void Clear()
    {
        Reads.Clear();
        Writes.Clear();
        Misses = 0;
    }

    /// <summary>Stores every entry whose number leaves this rest, in the order of their numbers.</summary>
    public void Fill(int rest, int of, ref long done)
    {
        long before = Stopwatch.GetTimestamp();
        for (long number = rest; number < population.Entries; number += of)
        {
            Set(number);
            long now = Stopwatch.GetTimestamp();
            Writes.Add(now - before);
            before = now;
            Volatile.Write(ref done, number);
        }
    }

    /// <summary>Works until the end; what began before the start does not count.</summary>
    /// <param name="mix">What to do.</param>
    /// <param name="begin">When to begin, in ticks of <see cref="Stopwatch"/>.</param>
    /// <param name="start">When it starts to count.</param>
    /// <param name="end">When to end.</param>
    /// <param name="interval">The time between the beginnings of operations; 0 in a closed loop.</param>
    public void Run(Mix mix, long begin, long start, long end, double interval)
    {
        ExactSleep.PrepareThread();
        bool counts = false;
        long due = begin;
        for (long i = 0; ; i++)
        {
            if (interval > 0)
            {
                due = begin + (long)(i * interval);
                ExactSleep.Until(due);
            }

            if (!counts && due >= start)
            {
                counts = true;
                Clear();
            }

            if (due >= end) return;
            bool isRead = Do(mix);
            long now = Stopwatch.GetTimestamp();
            (isRead ? Reads : Writes).Add(now - due);
            if (interval == 0) due = now;
        }
    }

    private static byte[] NewValue(int bytes)
    {
        byte[] value = new byte[bytes];
        new Random(bytes).NextBytes(value);
        return value;
    }

    /// <returns>Whether it only read.</returns>
    private bool Do(Mix mix)
    {
        var operation = choices.Operation(mix);
        if (operation == Operation.Insert)
        {
            Set(population.Begin());
            population.Done();
            return false;
        }

        long number = population.At(choices.Rank(), mix.IsLatest);
        switch (operation)
        {
            case Operation.Update:
                Set(number);
                return false;
            case Operation.ReadModifyWrite:
                Get(number);
                Set(number);
                return false;
            case Operation.Scan:
                if (Client.Scan(number, choices.ScanLength(), _read) == 0) Misses++;
                return true;
            default:
                Get(number);
                return true;
        }
    }

    /// <summary>No value is stored twice: who compares before writing, as SQLite does, would have nothing to write.</summary>
    private void Set(long number)
    {
        ValueStamp.Put(number, _written);
        BinaryPrimitives.WriteInt64LittleEndian(_written.AsSpan(sizeof(long)), ++_sets);
        Client.Set(number, _written);
    }

    /// <summary>What is not there is stored, as those do who use a cache.</summary>
    private void Get(long number)
    {
        int length = Client.Get(number, _read);
        if (length == IClient.Missing)
        {
            Misses++;
            Set(number);
            return;
        }

        ValueStamp.Check(number, _read.AsSpan(0, length));
    }
}
