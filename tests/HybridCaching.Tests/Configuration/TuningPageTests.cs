using System.Globalization;
using HybridCaching.Configuration;
using HybridCaching.Tests.Architecture;

namespace HybridCaching.Tests.Configuration;

/// <summary>The table of plans in docs/tuning.md is what MemoryPlan makes of these budgets.</summary>
public sealed class TuningPageTests
{
    private const string UpdateVariable = "UPDATE_DOCS";
    private const string UpdateCommand = UpdateVariable + "=1 dotnet test HybridCache.sln -c Release --filter FullyQualifiedName~TuningPageTests";
    private const string Begin = "<!-- table of plans -->\n";
    private const string End = "<!-- end of table of plans -->";

    /// <summary>Two cores.</summary>
    private const int Readers = 85;

    private const double HotTierShare = 0.85;
    private const int KeyBytes = 8;

    private static readonly (string Memory, string Disk, int ValueBytes)[] Budgets =
    [
        ("12MB", "64MB", 32),
        ("32MB", "1GB", 32),
        ("64MB", "1GB", 32),
        ("256MB", "1GB", 32),
        ("1GB", "8GB", 32),
        ("64MB", "1GB", 1024),
        ("256MB", "16GB", 1024),
        ("1GB", "64GB", 1024),
    ];

    [Fact]
    public void TuningPage_TableOfPlans_IsWhatThePlansSay()
    {
        string path = Repository.Combine("docs/tuning.md");
        string page = File.ReadAllText(path);
        int start = page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;
        int end = page.IndexOf(End, StringComparison.Ordinal);
        string table = Table();
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1") File.WriteAllText(path, page[..start] + table + page[end..]);

        Assert.True(File.ReadAllText(path).Contains(Begin + table + End, StringComparison.Ordinal), $"docs/tuning.md differs from what the plans say: run {UpdateCommand}");
    }

    private static string Table() =>
        "| MemoryBudget | DiskBudget | value | index at first, at last | buffers | log at first, at last | hot tier at most, at last | entries in memory at most, at last | entries on disk |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n"
        + string.Concat(Budgets.Select(budget => Row(budget.Memory, budget.Disk, budget.ValueBytes)));

    private static string Row(string memory, string disk, int valueBytes)
    {
        int recordBytes = 16 + KeyBytes + valueBytes;
        var plan = MemoryPlan.Create(ByteSize.Parse(memory, null).Bytes, ByteSize.Parse(disk, null).Bytes, recordBytes, recordBytes - 8, Readers, HotTierShare);
        long index = plan.IndexBytes + plan.OverflowBytes + IndexSizing.FixedBytes + plan.SettledIndexBytes + plan.GhostBytes + plan.HitCountBytes;
        int mostWays = plan.HotWaysBeside(0, -plan.LaterBytes);
        long logAtFirst = Log(plan.InitialHotWays, -plan.LaterBytes);
        long logAtMost = Log(mostWays, -plan.LaterBytes);
        long logAtLast = Log(plan.HotWays, 0);
        return $"| {memory} | {disk} | {valueBytes} | {Show(index - plan.LaterBytes)}, {Show(index)} | {Show(plan.BufferBytes)} | {Show(logAtFirst)}, {Show(logAtLast)} | {Show(Hot(mostWays))}, {Show(Hot(plan.HotWays))} "
            + $"| {Thousands(Entries(mostWays, logAtMost))}, {Thousands(Entries(plan.HotWays, logAtLast))} | {Thousands((plan.DiskLogBytes / recordBytes) + Settled(plan, recordBytes))} |\n";

        long Hot(int ways) => (plan.HotRows * MemoryPlan.HotRowBytes) + (ways * plan.HotWayBytes);
        long Log(int ways, long growth) => Math.Min((plan.MostLogPages * plan.PageCostBytes) + plan.LogBytes - (plan.LogPages * plan.PageCostBytes), plan.LogBytesBeside(plan.LentBytes(ways, growth)));
        long Entries(int ways, long log) => ((long)plan.HotRows * ways) + (log / plan.PageCostBytes * plan.PageBytes / recordBytes);
    }

    /// <summary>Three segments are on their way; of five places of the index four are in use.</summary>
    private static long Settled(MemoryPlan plan, int recordBytes) =>
        Math.Min(Math.Max(0, plan.SettledSegments - 3) * plan.SegmentBytes / recordBytes, plan.SettledIndexBytes / sizeof(ulong) * 4 / 5);

    private static string Show(long bytes) => string.Create(CultureInfo.InvariantCulture, $"{bytes / (double)(1 << 20):F1} MiB");

    private static string Thousands(long count) => string.Create(CultureInfo.InvariantCulture, $"{count / 1000:N0} k");
}
