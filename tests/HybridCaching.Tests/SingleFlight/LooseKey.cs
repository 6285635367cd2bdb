namespace HybridCaching.Tests.SingleFlight;

/// <summary>A key whose idea of equality is wider than its bytes.</summary>
public readonly struct LooseKey(int id, int ignored) : IEquatable<LooseKey>
{
    public int Id { get; } = id;

    public int Ignored { get; } = ignored;

    public bool Equals(LooseKey other) => Id == other.Id;

    public override bool Equals(object? obj) => obj is LooseKey other && Equals(other);

    public override int GetHashCode() => Id;
}
