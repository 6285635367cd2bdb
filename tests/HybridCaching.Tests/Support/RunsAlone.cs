namespace HybridCaching.Tests.Support;

/// <summary>The tests that measure the process they run in: no other test runs beside them.</summary>
[CollectionDefinition(nameof(RunsAlone), DisableParallelization = true)]
public sealed class RunsAlone;
