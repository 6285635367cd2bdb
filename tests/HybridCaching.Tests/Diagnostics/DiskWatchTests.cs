using HybridCaching.Diagnostics;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Diagnostics;

public sealed class DiskWatchTests
{
    private const int LooksPerMinute = 240;

    /// <summary>Two seconds.</summary>
    private const int LooksUntilHung = 8;

    private readonly CollectingLoggerFactory _log = new();
    private readonly DiskWatch _watch;
    private DiskCounts _counts = new(0, 0, 0, 0, 0, null, null, null);

    public DiskWatchTests() => _watch = new DiskWatch("orders", _log, LooksPerMinute);

    [Fact]
    public void Look_NothingHappens_SaysNothing()
    {
        Look(1000);

        Assert.Empty(_log.Entries);
        Assert.Null(_watch.Trouble);
    }

    [Fact]
    public void Look_EverythingWorks_SaysNothing()
    {
        for (int i = 0; i < 1000; i++) Happen(operations: 10);

        Assert.Empty(_log.Entries);
        Assert.Null(_watch.Trouble);
    }

    [Theory]
    [InlineData(nameof(Log.DiskReadsFailed))]
    [InlineData(nameof(Log.DiskWritesFailed))]
    [InlineData(nameof(Log.DamageFound))]
    public void Look_ErrorsAllTheTime_SaysSoOnceAMinute(string message)
    {
        for (int i = 0; i < 10 * LooksPerMinute; i++)
        {
            Happen(
                operations: 100,
                readErrors: message == nameof(Log.DiskReadsFailed) ? 3 : 0,
                writeErrors: message == nameof(Log.DiskWritesFailed) ? 3 : 0,
                damaged: message == nameof(Log.DamageFound) ? 3 : 0);
        }

        Assert.Equal(Enumerable.Repeat(message, 10), Said());
        Assert.Contains("orders", _log.Entries[0].Message, StringComparison.Ordinal);
        Assert.Contains(" 3 ", _log.Entries[0].Message, StringComparison.Ordinal);
        Assert.Contains($" {3 * LooksPerMinute} ", _log.Entries[1].Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Look_ErrorsOfEachKind_AreSaidOnTheirOwn()
    {
        Happen(operations: 100, readErrors: 1);
        Happen(operations: 100, writeErrors: 2);
        Happen(damaged: 3);

        Assert.Equal([nameof(Log.DiskReadsFailed), nameof(Log.DiskWritesFailed), nameof(Log.DamageFound)], Said());
    }

    [Fact]
    public void Look_Error_TellsWhatTheDiskSaid()
    {
        Happen(operations: 100, readErrors: 1, reason: "Input/output error");

        Assert.Contains("Input/output error", _log.Entries.Single().Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(100, 90, false)]
    [InlineData(100, 91, true)]
    [InlineData(1, 1, true)]
    [InlineData(10, 9, false)]
    [InlineData(10, 10, true)]
    public void Look_SomeOperationsFail_IsTroubleAboveNineOfTen(int operations, int errors, bool isTrouble)
    {
        Happen(operations: operations, readErrors: errors, reason: "it is gone");

        Assert.Equal(isTrouble, _watch.Trouble is not null);
        if (isTrouble) Assert.Contains("it is gone", _watch.Trouble, StringComparison.Ordinal);
    }

    /// <summary>A disk that is full still gives back what it has.</summary>
    [Fact]
    public void Look_WritesFailThoughReadsDoNot_IsTrouble()
    {
        Happen(reads: 1000, writes: 2, writeErrors: 2, reason: "it is full");

        Assert.Contains("2 of its last 2 writes failed: it is full", _watch.Trouble, StringComparison.Ordinal);
    }

    [Fact]
    public void Look_WritesFailedAndOnlyReadsSince_StaysTrouble()
    {
        Happen(writes: 2, writeErrors: 2);
        Happen(reads: 1000);

        Assert.NotNull(_watch.Trouble);
    }

    [Fact]
    public void Look_FilesCannotBeRemoved_CountsNoMoreFailuresThanOperations()
    {
        Happen(writes: 2, writeErrors: 900);

        Assert.Contains("2 of its last 2 writes", _watch.Trouble, StringComparison.Ordinal);
    }

    [Fact]
    public void Works_TroubleAndNothingSince_IsOver()
    {
        Happen(operations: 10, readErrors: 10, writeErrors: 10);
        Look(LooksPerMinute / 60);

        _watch.Works();
        Look(1);

        Assert.Null(_watch.Trouble);
        Assert.Contains(nameof(Log.DiskWorksAgain), Said());
    }

    [Fact]
    public void Works_WritesFailMeanwhile_StaysTrouble()
    {
        Happen(writes: 10, writeErrors: 10);

        _watch.Works();
        Look(1);

        Assert.NotNull(_watch.Trouble);
    }

    [Fact]
    public void Look_TroubleAndNothingSince_StaysTrouble()
    {
        Happen(operations: 10, readErrors: 10);
        Look(1000);

        Assert.NotNull(_watch.Trouble);
    }

    [Fact]
    public void Look_TroubleAndThenWorks_IsOver()
    {
        Happen(operations: 10, readErrors: 10);
        Happen(operations: 10);

        Assert.Null(_watch.Trouble);
        Assert.Equal([nameof(Log.DiskReadsFailed), nameof(Log.DiskInTrouble), nameof(Log.DiskWorksAgain)], Said());
    }

    [Fact]
    public void Look_NothingEndsForTwoSeconds_IsTrouble()
    {
        _counts = _counts with { ReadsEnded = 7 };
        Look(LooksUntilHung);
        Assert.Null(_watch.Trouble);
        Look(1);

        Assert.Contains("2 s", _watch.Trouble, StringComparison.Ordinal);
        Assert.Equal([nameof(Log.DiskInTrouble)], Said());
    }

    [Fact]
    public void Look_WritesHangThoughReadsEnd_IsTrouble()
    {
        for (int look = 0; look <= LooksUntilHung; look++)
        {
            _counts = _counts with { Reads = _counts.Reads + 1, ReadsEnded = look, WritesEnded = 3 };
            _watch.Look(_counts);
        }

        Assert.NotNull(_watch.Trouble);
    }

    [Fact]
    public void Look_HangsForLong_TellsHowLongAndSaysSoOnce()
    {
        _counts = _counts with { WritesEnded = 7 };
        Look((10 * LooksPerMinute) + 1);

        Assert.Contains("600 s", _watch.Trouble, StringComparison.Ordinal);
        Assert.Equal([nameof(Log.DiskInTrouble)], Said());
    }

    [Fact]
    public void Look_HungAndThenGoesOn_IsOver()
    {
        _counts = _counts with { WritesEnded = 7 };
        Look(2 * LooksUntilHung);
        _counts = _counts with { WritesEnded = 8 };
        Look(1);

        Assert.Null(_watch.Trouble);
        Assert.Equal([nameof(Log.DiskInTrouble), nameof(Log.DiskWorksAgain)], Said());
    }

    [Fact]
    public void Look_HungAndThenNothingToDo_IsOver()
    {
        _counts = _counts with { ReadsEnded = 7 };
        Look(2 * LooksUntilHung);
        _counts = _counts with { ReadsEnded = null };
        Look(1);

        Assert.Null(_watch.Trouble);
    }

    /// <summary>A disk that comes and goes all the time must not flood the log.</summary>
    [Fact]
    public void Look_TroubleComesAndGoes_IsSaidOnceAMinute()
    {
        for (int i = 0; i < 10 * LooksPerMinute; i++) Happen(operations: 10, readErrors: i % 2 == 0 ? 10 : 0);

        Assert.InRange(Said().Count(m => m == nameof(Log.DiskInTrouble)), 9, 10);
        Assert.InRange(Said().Count(m => m == nameof(Log.DiskWorksAgain)), 9, 10);
    }

    /// <summary>Trouble that began in the minute of silence after an earlier one is said in the end.</summary>
    [Fact]
    public void Look_TroubleAgainAndStays_IsSaidWithinAMinute()
    {
        Happen(operations: 10, readErrors: 10);
        Happen(operations: 10);
        Happen(operations: 10, readErrors: 10);
        Look(LooksPerMinute);

        Assert.Equal(2, Said().Count(m => m == nameof(Log.DiskInTrouble)));
        Assert.NotNull(_watch.Trouble);
    }

    /// <summary>So many operations are so many of each kind.</summary>
    private void Happen(int operations = 0, int readErrors = 0, int writeErrors = 0, int damaged = 0, string? reason = null, int reads = 0, int writes = 0)
    {
        _counts = _counts with
        {
            Reads = _counts.Reads + operations + reads,
            Writes = _counts.Writes + operations + writes,
            ReadErrors = _counts.ReadErrors + readErrors,
            WriteErrors = _counts.WriteErrors + writeErrors,
            Damaged = _counts.Damaged + damaged,
            LastError = reason ?? _counts.LastError,
        };
        Look(1);
    }

    private void Look(int times)
    {
        for (int i = 0; i < times; i++) _watch.Look(_counts);
    }

    private IEnumerable<string?> Said() => _log.Entries.Select(e => e.Id.Name);
}
