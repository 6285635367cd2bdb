namespace HybridCaching.Tests.Support;

/// <summary>The tests that measure the process they run in, or take something of it, such as its thread pool: no other test runs beside them.</summary>
[CollectionDefinition(nameof(RunsAlone), DisableParallelization = true)]
public sealed class RunsAlone;
