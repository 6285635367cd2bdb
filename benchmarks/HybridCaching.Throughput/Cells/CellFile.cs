using System.Text.Json;

namespace HybridCaching.Throughput.Cells;

/// <summary>Finished measurements, a line of JSON each: a run that was interrupted goes on where it was.</summary>
internal sealed class CellFile
{
    private readonly string _path;
    private readonly ILookup<string, Measurement> _known;

    public CellFile(string path)
    {
        _path = path;
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        _known = (File.Exists(path) ? File.ReadLines(path) : []).Select(TryParse).OfType<Measurement>().ToLookup(measurement => measurement.Identity);
    }

    /// <summary>What was measured last for a plan in earlier runs; null if not all of it is there.</summary>
    public IReadOnlyList<Measurement>? Find(CellPlan plan)
    {
        Measurement[] found = [.. _known[plan.Identity].GroupBy(measurement => measurement.Workload).Select(group => group.Last())];
        return plan.Workloads.Prepend(Measurement.Filling).All(workload => found.Any(measurement => measurement.Workload == workload)) ? found : null;
    }

    /// <summary>Puts down all measurements of a plan, in one write.</summary>
    public void Add(IEnumerable<Measurement> measurements) => File.AppendAllLines(_path, measurements.Select(measurement => JsonSerializer.Serialize(measurement)));

    /// <summary>A line that a kill has cut short counts for nothing.</summary>
    private static Measurement? TryParse(string line)
    {
        try
        {
            return JsonSerializer.Deserialize<Measurement>(line);
        }
        catch (JsonException)
        {
            return null;
        }
    }
}
