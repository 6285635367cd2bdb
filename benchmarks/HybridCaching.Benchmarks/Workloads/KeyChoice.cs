namespace HybridCaching.Benchmarks.Workloads;

/// <summary>Which keys are asked for.</summary>
public enum KeyChoice
{
    /// <summary>All alike.</summary>
    Uniform,

    /// <summary>Some far more than others, with the skew of YCSB (0.99); the popular ones lie scattered.</summary>
    Zipf,

    /// <summary>One key in ten, scattered over all; among these all alike.</summary>
    Hot,

    /// <summary>One after the other, from the first to the last and again.</summary>
    Sequential,
}
