namespace HybridCaching.Tests.Concurrency;

/// <summary>Tests that take something of the whole process, such as its thread pool, and so run alone.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class ProcessWide
{
    public const string Name = "process-wide";
}
