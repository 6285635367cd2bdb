namespace HybridCaching.Throughput.Measuring;

/// <summary>How a workload is offered.</summary>
/// <param name="WarmUp">How long before it counts.</param>
/// <param name="Duration">How long it counts.</param>
/// <param name="Rate">Operations per second, of all clients together, that begin when their time has come, or late: an open loop. Null: each client begins an operation when its last one has ended: a closed loop.</param>
internal sealed record Load(TimeSpan WarmUp, TimeSpan Duration, double? Rate)
{
    /// <summary>How long it takes.</summary>
    public double Seconds => (WarmUp + Duration).TotalSeconds;
}
