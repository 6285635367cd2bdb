using System.Globalization;
using HybridCaching.Benchmarks.Workloads;

namespace HybridCaching.Benchmarks.Quick;

/// <summary>What being watched costs, in <c>benchmarks/results/meter.md</c>.</summary>
internal sealed class MeterRun(ResultFiles results)
{
    public const string Command = "meter";

    /// <returns>0; 1 when a contestant answered wrongly or did not do its work.</returns>
    public int Run()
    {
        string sizes = string.Create(
            CultureInfo.InvariantCulture,
            $"hot hits, {MeterCells.HotKeys:N0} keys; typed: long to 32 bytes; bytes: text to 1 KiB into an IBufferWriter; a listener of all instruments collects ten times a second; median of 3 paired repetitions [min-max of their ratios]");
        var page = new QuickPage("What being watched costs", Command, sizes);
        using var one = new WorkerTeam(1);
        page.Collect(() => MeterCells.Typed(one));
        page.Collect(() => MeterCells.Bytes(one));
        return page.TryWrite(results) ? 0 : 1;
    }
}
