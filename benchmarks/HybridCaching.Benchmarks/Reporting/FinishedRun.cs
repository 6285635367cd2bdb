namespace HybridCaching.Benchmarks.Reporting;

/// <summary>What the process of a finished case wrote, and how long it took.</summary>
internal sealed record FinishedRun(string Case, double Seconds, string[] Results, string[] PrefixedLines, string[] StandardOutput);
