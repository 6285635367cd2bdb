using HybridCaching.CrashTests.Child;

namespace HybridCaching.CrashTests;

/// <summary>The expected state of the crash program finds what it is for.</summary>
[Trait("Category", "Crash")]
public sealed class ExpectedStateTests : IDisposable
{
    private const int Key = 5;
    private const int Lifetime = 1000;

    private readonly TestDirectory _directory = new();
    private readonly SharedState _state;

    public ExpectedStateTests() => _state = SharedState.Create(_directory.Combine("state"), 64);

    [Fact]
    public void Judge_LastAcknowledged_IsRight()
    {
        long number = Set();

        Assert.Null(JudgeNow(number));
    }

    [Fact]
    public void Judge_Overwritten_IsFound()
    {
        long old = Set();
        Set();

        Assert.Contains("stale", JudgeNow(old), StringComparison.Ordinal);
    }

    [Fact]
    public void Judge_Removed_IsFound()
    {
        long old = Set();
        _state.EndRemove(Key, _state.Begin(Key));

        Assert.Contains("stale", JudgeNow(old), StringComparison.Ordinal);
    }

    [Fact]
    public void Judge_Cleared_IsFound()
    {
        long old = Set();
        _state.Clear(-1, static () => { });

        Assert.Contains("stale", JudgeNow(old), StringComparison.Ordinal);
    }

    [Fact]
    public void Judge_ClearedWithAnotherGroup_IsRight()
    {
        long number = Set();
        _state.Clear(SharedState.GroupOf(Key) + 1, static () => { });

        Assert.Null(JudgeNow(number));
    }

    /// <summary>The process was killed when the clear was over and had been noted as such, and nothing more.</summary>
    [Fact]
    public void Judge_ClearedJustBeforeTheEnd_IsFound()
    {
        long old = Set();
        _state[Key].Pending = old;
        (_state.Header.Scope, _state.Header.Phase) = (-1, (long)SharedPhase.ClearOver);
        _state.EndOfProcess();

        Assert.Contains("stale", JudgeNow(old), StringComparison.Ordinal);
    }

    [Fact]
    public void Judge_BothSidesOfASetOnItsWayAtTheEnd_AreRight()
    {
        long old = Set();
        long young = _state.Begin(Key);
        _state.EndOfProcess();

        Assert.Null(JudgeNow(old));
        Assert.Null(JudgeNow(young));
    }

    [Fact]
    public void Judge_OlderThanWhatWasRead_IsFound()
    {
        long old = Set();
        long young = _state.Begin(Key);
        Assert.Null(JudgeNow(young));

        Assert.Contains("stale", JudgeNow(old), StringComparison.Ordinal);
    }

    [Fact]
    public void Judge_Expired_IsFound()
    {
        long number = Set(Lifetime);
        _state.Header.ClockOffset += TimeSpan.TicksPerMinute;

        Assert.Contains("expired", JudgeNow(number, Lifetime), StringComparison.Ordinal);
    }

    [Fact]
    public void Judge_ExpiredThoughItsSetWasOnItsWayAtTheEnd_IsFound()
    {
        long number = _state.Begin(Key);
        _state.EndOfProcess();
        _state.Header.ClockOffset += TimeSpan.TicksPerMinute;

        Assert.Contains("expired", JudgeNow(number, Lifetime), StringComparison.Ordinal);
    }

    [Fact]
    public void Judge_NotBegun_IsFound() => Assert.Contains("begun", JudgeNow(1), StringComparison.Ordinal);

    [Fact]
    public void Judge_ValueOfAnotherKey_IsFound()
    {
        long number = Set();
        var reading = new Reading(Key + 1, 0, number, 0, 10, IsWhole: true);

        Assert.Contains("another", _state.Judge(Key, in reading, _state.FloorOf(Key)), StringComparison.Ordinal);
    }

    [Fact]
    public void Judge_AnyByteOfAValueFlipped_IsFound()
    {
        byte[] bytes = BytesValue.Make(new Reading(Key, 1, 1, 0, 37, IsWhole: true));
        Assert.True(BytesValue.Read(bytes).IsWhole);
        for (int i = 0; i < bytes.Length; i++)
        {
            bytes[i] ^= 1;
            Assert.False(BytesValue.Read(bytes).IsWhole, $"byte {i}");
            bytes[i] ^= 1;
        }
    }

    [Fact]
    public void Judge_ValueCutShort_IsFound()
    {
        byte[] bytes = BytesValue.Make(new Reading(Key, 1, 1, 0, 37, IsWhole: true));

        Assert.All(Enumerable.Range(0, bytes.Length), length => Assert.False(BytesValue.Read(bytes.AsSpan(0, length)).IsWhole));
    }

    [Fact]
    public void Points_OfTheSource_AreMany() => Assert.InRange(FaultPoints.All.Count, 25, 60);

    public void Dispose()
    {
        _state.Dispose();
        _directory.Dispose();
    }

    private long Set(int lifetime = 0)
    {
        long number = _state.Begin(Key);
        _state.EndSet(Key, number, lifetime);
        return number;
    }

    private string? JudgeNow(long number, int lifetime = 0)
    {
        var reading = new Reading(Key, 0, number, lifetime, 10, IsWhole: true);
        return _state.JudgeOwn(Key, in reading, _state.FloorOf(Key), _state[Key].Deadline, _state.Now);
    }
}
