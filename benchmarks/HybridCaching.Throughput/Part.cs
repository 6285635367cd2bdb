namespace HybridCaching.Throughput;

/// <summary>The parts of a run, by the names that the command line and the results use.</summary>
internal static class Part
{
    /// <summary>Data many times as large as memory, closed loop.</summary>
    public const string Larger = "larger";

    /// <summary>The same with more clients than cores, so that the disk has something to do while others wait for it.</summary>
    public const string Many = "many";

    /// <summary>Memory for half of the data, many threads, beside what keeps all in memory.</summary>
    public const string Half = "half";

    /// <summary>Latency at half of what the slower of two can do.</summary>
    public const string Open = "open";

    /// <summary>Closed loops that tell the rate of the open ones.</summary>
    public const string Peak = "peak";

    /// <summary>How long the garbage collector stops the process, with many entries.</summary>
    public const string Pauses = "pauses";

    /// <summary>Whether nothing is compared there for which memory has to be the same: then the garbage collector may let as much garbage lie as it does by default.</summary>
    public static bool HasUsualGarbage(string part) => part is Half or Pauses;

    public static IReadOnlyList<string> All { get; } = [Larger, Many, Half, Open];
}
