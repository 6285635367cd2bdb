using System.Text;
using HybridCaching.Throughput.Cells;

namespace HybridCaching.Throughput.Reporting;

/// <summary>All measurements with commas in between, for other programs. Latencies in microseconds, the rest as the columns say.</summary>
internal static class Table
{
    public static string Of(IEnumerable<Measurement> measurements)
    {
        var text = new StringBuilder(
            "part,contestant,workload,repeat,rate,value_bytes,memory_bytes,data_ratio,threads,page_cache,seconds,operations,operations_per_second,misses,read_p50,read_p99,read_p999,read_max,write_p50,write_p99,write_p999,write_max,"
            + "cpu_microseconds_per_operation,written_bytes,read_bytes,disk_bytes,resident_growth_bytes,page_cache_bytes,own_figure_bytes,longest_pause_ms,all_pauses_ms,gen0_collections,gen1_collections,gen2_collections\n");
        foreach (var m in measurements)
        {
            object?[] cells =
            [
                m.Part, m.Contender, m.Workload, m.Repeat, m.Rate, m.Conditions.ValueBytes, m.Conditions.Memory, m.Conditions.Ratio, m.Conditions.Threads, m.Conditions.PageCache, $"{m.Seconds:F3}", m.Operations, $"{m.PerSecond:F0}", m.Misses,
                m.Reads.P50, m.Reads.P99, m.Reads.P999, m.Reads.Max, m.Writes.P50, m.Writes.P99, m.Writes.P999, m.Writes.Max,
                $"{m.CpuMicroseconds:F2}", m.WrittenBytes, m.ReadBytes, m.DiskBytes, m.ResidentGrowth, m.PageCacheBytes, m.MemoryInUse, $"{m.LongestPauseMilliseconds:F2}", $"{m.AllPausesMilliseconds:F2}",
                m.Collections.Gen0, m.Collections.Gen1, m.Collections.Gen2,
            ];
            text.AppendJoin(',', cells).Append('\n');
        }

        return text.ToString();
    }
}
