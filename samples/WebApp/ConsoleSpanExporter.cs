using System.Diagnostics;
using OpenTelemetry;

namespace WebApp;

/// <summary>A line for every span.</summary>
internal sealed class ConsoleSpanExporter : BaseExporter<Activity>
{
    public override ExportResult Export(in Batch<Activity> batch)
    {
        foreach (var span in batch)
        {
            Console.WriteLine($"span {span.OperationName} {string.Join(' ', span.TagObjects.Select(tag => $"{tag.Key}={tag.Value}"))} {span.Duration.TotalMilliseconds:0.###} ms {span.Status}");
        }

        return ExportResult.Success;
    }
}
