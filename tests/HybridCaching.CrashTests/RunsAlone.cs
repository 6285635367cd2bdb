namespace HybridCaching.CrashTests;

/// <summary>No other test runs beside these: a kill at random shall not be one of a process that hardly runs.</summary>
[CollectionDefinition(nameof(RunsAlone), DisableParallelization = true)]
public sealed class RunsAlone;
