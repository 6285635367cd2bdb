using System.Globalization;

namespace HybridCaching.Throughput.Measuring;

/// <summary>What the system says of this process.</summary>
/// <param name="ResidentBytes">Its pages in memory: its own, shared ones, and those of files that it maps.</param>
/// <param name="CpuSeconds">Processor time of all its threads, in user and kernel.</param>
/// <param name="WrittenBytes">Bytes it has caused to be written to disks, sooner or later.</param>
/// <param name="ReadBytes">Bytes it has caused to be read from disks.</param>
internal readonly record struct ProcessFigures(long ResidentBytes, double CpuSeconds, long WrittenBytes, long ReadBytes)
{
    public static ProcessFigures Now() => new(Resident(), Environment.CpuUsage.TotalTime.TotalSeconds, Io("write_bytes:"), Io("read_bytes:"));

    public static long Resident()
    {
        string text = File.ReadAllText("/proc/self/statm");
        return long.Parse(text.Split(' ')[1], CultureInfo.InvariantCulture) * Environment.SystemPageSize;
    }

    /// <summary>Memory of the process that belongs to no file.</summary>
    public static long Anonymous()
    {
        const string Field = "RssAnon:";
        string line = File.ReadLines("/proc/self/status").First(line => line.StartsWith(Field, StringComparison.Ordinal));
        return 1024 * long.Parse(line.AsSpan(Field.Length).TrimEnd("kB"), CultureInfo.InvariantCulture);
    }

    private static long Io(string field)
    {
        string line = File.ReadLines("/proc/self/io").First(line => line.StartsWith(field, StringComparison.Ordinal));
        return long.Parse(line.AsSpan(field.Length), CultureInfo.InvariantCulture);
    }
}
