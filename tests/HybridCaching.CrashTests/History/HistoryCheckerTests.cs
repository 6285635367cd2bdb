namespace HybridCaching.CrashTests.History;

/// <summary>The checker of histories finds what it is for.</summary>
[Trait("Category", "Crash")]
public sealed class HistoryCheckerTests
{
    private const int Key = 7;

    private readonly ThreadHistory _writer = new(0, 100);
    private readonly ThreadHistory _reader = new(1, 100);

    private IReadOnlyList<string> Violations => HistoryChecker.Check([_writer, _reader]);

    [Fact]
    public void Check_HitOfTheLastSet_IsRight()
    {
        long value = Set(10, 20);
        Hit(value, 30, 40);

        Assert.Empty(Violations);
    }

    [Fact]
    public void Check_HitBesideTwoSets_MayBeEither()
    {
        long old = Set(10, 20);
        long young = Set(30, 60);
        Hit(old, 40, 50);
        Hit(young, 41, 51);

        Assert.Empty(Violations);
    }

    [Fact]
    public void Check_HitOfAnOverwrittenValue_IsFound()
    {
        long old = Set(10, 20);
        Set(30, 40);
        Hit(old, 50, 60);

        Assert.Single(Violations);
    }

    [Fact]
    public void Check_HitAfterARemoval_IsFound()
    {
        long value = Set(10, 20);
        Do(OperationKind.Remove, 30, 40);
        Hit(value, 50, 60);

        Assert.Single(Violations);
    }

    [Fact]
    public void Check_HitAfterAClear_IsFound()
    {
        long value = Set(10, 20);
        Do(OperationKind.Clear, 30, 40);
        Hit(value, 50, 60);

        Assert.Single(Violations);
    }

    [Fact]
    public void Check_HitOfASetBesideAClear_IsRight()
    {
        long value = Set(10, 35);
        Do(OperationKind.Clear, 30, 40);
        Hit(value, 50, 60);

        Assert.Empty(Violations);
    }

    [Fact]
    public void Check_HitBeforeItsSet_IsFound()
    {
        long value = Set(50, 60);
        Hit(value, 10, 40);

        Assert.Single(Violations);
    }

    [Fact]
    public void Check_HitOfAValueOfAnotherKey_IsFound()
    {
        long value = Set(10, 20);
        _reader.Add(new Operation(Key + 1, OperationKind.Hit, value, 30, 40));

        Assert.Single(Violations);
    }

    [Fact]
    public void Check_HitOfAValueOfNobody_IsFound()
    {
        Hit(-1, 30, 40);

        Assert.Single(Violations);
    }

    /// <summary>The second set is still on its way, so both values are possible, but not in this order.</summary>
    [Fact]
    public void Check_HitThatGoesBack_IsFound()
    {
        long old = Set(10, 20);
        long young = Set(30, 100);
        Hit(young, 40, 50);
        Hit(old, 60, 70);

        Assert.Single(Violations);
    }

    private long Set(long begin, long end)
    {
        long value = _writer.NextValue;
        _writer.Add(new Operation(Key, OperationKind.Set, value, begin, end));
        return value;
    }

    private void Do(OperationKind kind, long begin, long end) => _writer.Add(new Operation(Key, kind, 0, begin, end));

    private void Hit(long value, long begin, long end) => _reader.Add(new Operation(Key, OperationKind.Hit, value, begin, end));
}
