using System.Globalization;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace WebApp;

/// <summary>A line for every measurement. In its place an application has the exporter of its monitoring, such as OTLP.</summary>
internal sealed class ConsoleMetricExporter : BaseExporter<Metric>
{
    public override ExportResult Export(in Batch<Metric> batch)
    {
        foreach (var metric in batch)
        {
            foreach (ref readonly var point in metric.GetMetricPoints()) Console.WriteLine($"metric {metric.Name} {Tags(point)} {Value(metric.MetricType, point)} {metric.Unit}");
        }

        return ExportResult.Success;
    }

    private static string Tags(in MetricPoint point)
    {
        var tags = new List<string>();
        foreach (var (key, value) in point.Tags) tags.Add($"{key}={value}");
        return string.Join(' ', tags);
    }

    private static string Value(MetricType type, in MetricPoint point) => type switch
    {
        _ when type.IsHistogram() => string.Create(CultureInfo.InvariantCulture, $"{point.GetHistogramCount()} times, {point.GetHistogramSum():0.######} in all"),
        _ when type.IsGauge() && type.IsDouble() => point.GetGaugeLastValueDouble().ToString("0.######", CultureInfo.InvariantCulture),
        _ when type.IsGauge() => point.GetGaugeLastValueLong().ToString(CultureInfo.InvariantCulture),
        _ when type.IsDouble() => point.GetSumDouble().ToString("0.######", CultureInfo.InvariantCulture),
        _ => point.GetSumLong().ToString(CultureInfo.InvariantCulture),
    };
}
