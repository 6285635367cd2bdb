using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace WebApp;

/// <summary>The answer of <c>/health</c>: the worst status, and every check with its reason and data.</summary>
internal sealed record HealthAnswer(string Status, IReadOnlyDictionary<string, HealthAnswer.Check> Checks)
{
    public static Task WriteAsync(HttpContext context, HealthReport report)
    {
        var checks = report.Entries.ToDictionary(entry => entry.Key, entry => new Check(entry.Value.Status.ToString(), entry.Value.Description, entry.Value.Data));
        return context.Response.WriteAsJsonAsync(new HealthAnswer(report.Status.ToString(), checks), WebAppJson.Default.HealthAnswer, cancellationToken: context.RequestAborted);
    }

    internal sealed record Check(string Status, string? Reason, IReadOnlyDictionary<string, object> Data);
}
