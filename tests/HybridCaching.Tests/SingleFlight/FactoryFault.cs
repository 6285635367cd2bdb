namespace HybridCaching.Tests.SingleFlight;

/// <summary>What a failing factory of these tests throws.</summary>
internal sealed class FactoryFault : Exception;
