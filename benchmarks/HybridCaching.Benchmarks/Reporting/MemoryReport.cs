using System.Globalization;
using HybridCaching.Benchmarks.Contestants;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Reporting;

/// <summary>A line by which the process of a benchmark tells how much memory its contestant holds; <see cref="MemoryColumn"/> reads it.</summary>
internal sealed class MemoryReport
{
    private const string Prefix = "// Memory: ";

    private readonly long _heapBefore = Heap.Live();

    /// <summary>Writes the memory in use since this report was made, before the contestant was.</summary>
    public void Write(IContestant contestant)
    {
        long heap = Heap.Live() - _heapBefore;
        long inUse = contestant.MemoryInUse ?? heap;
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{Prefix}inUse={inUse} heap={heap}"));
        GC.KeepAlive(contestant);
    }

    /// <summary>Finds a figure in what the process wrote: the last one.</summary>
    public static long? Find(IEnumerable<string> lines, string figure)
    {
        string? line = lines.LastOrDefault(each => each.StartsWith(Prefix, StringComparison.Ordinal));
        string? text = line?[Prefix.Length..].Split(' ').FirstOrDefault(part => part.StartsWith(figure + "=", StringComparison.Ordinal));
        return text is null ? null : long.Parse(text.AsSpan(figure.Length + 1), CultureInfo.InvariantCulture);
    }
}
