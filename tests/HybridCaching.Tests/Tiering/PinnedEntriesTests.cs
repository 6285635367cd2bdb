using HybridCaching.Devices;
using HybridCaching.Records;
using HybridCaching.Tests.Concurrency;
using HybridCaching.Tiering;

namespace HybridCaching.Tests.Tiering;

public sealed class PinnedEntriesTests
{
    private const int Capacity = 2000;
    private const long Now = 1000;

    private readonly PinnedEntries _entries = new(Capacity);

    [Theory]
    [InlineData("__MSFT_HCT__*", true)]
    [InlineData("__MSFT_HCT__tag", true)]
    [InlineData("v2:__fc:t:tag", true)]
    [InlineData("v2:myapp:__fc:t:!", true)]
    [InlineData("x__MSFT_HCT__tag", false)]
    [InlineData("__msft_hct__tag", false)]
    [InlineData("__fc:tag", false)]
    [InlineData("", false)]
    public void Covers_Key_IsAMarkers(string key, bool isMarker) => Assert.Equal(isMarker, PinnedEntries.Covers(key, 8));

    [Fact]
    public void Covers_LongValue_IsNoMarker() => Assert.False(PinnedEntries.Covers("__MSFT_HCT__tag", 4096));

    [Fact]
    public void TrySet_NoRoom_ChangesNothing()
    {
        Assert.True(_entries.TrySet("a", Entry(10), Now));
        Assert.False(_entries.TrySet("b", Entry(Capacity), Now));
        Assert.False(_entries.TrySet("a", Entry(Capacity), Now));
        Assert.Equal(10, _entries.Find("a")!.Value.Length);
        Assert.Null(_entries.Find("b"));
    }

    [Fact]
    public void TrySet_ExpiredOnesInTheWay_MakesRoom()
    {
        Assert.True(_entries.TrySet("old", Entry(1000, deadline: Now - 1), now: 0));
        Assert.True(_entries.TrySet("new", Entry(1000), Now));
        Assert.Null(_entries.Find("old"));
    }

    [Fact]
    public void TrySet_AgainAndAgain_TakesNoMoreRoom()
    {
        for (int i = 0; i < 100; i++) Assert.True(_entries.TrySet("a", Entry(1000), Now));
    }

    [Fact]
    public void Remove_ThenOthers_HaveItsRoom()
    {
        for (int i = 0; i < 100; i++)
        {
            Assert.True(_entries.TrySet($"{i}", Entry(1000), Now));
            Assert.True(_entries.Remove($"{i}"));
        }
    }

    /// <summary>Without a marker, what it invalidates would be valid for that moment.</summary>
    [Fact]
    public void Find_ReplacedMeanwhile_IsNeverMissing()
    {
        var duration = Duration.Of(0.3);
        _entries.TrySet("a", Entry(10), Now);
        Crew.Run(3, me =>
        {
            while (!duration.IsOver)
            {
                if (me == 0) Assert.True(_entries.TrySet("a", Entry(10), Now));
                else Assert.NotNull(_entries.Find("a"));
            }
        });
    }

    /// <summary>It is prolonged in memory; the note of it is not written again.</summary>
    [Fact]
    public void TryLoad_NoteOfOneThatSlides_BeginsAnew()
    {
        var state = LiveState.Create(segmentBytes: 1 << 20, segments: 1, tableBytes: 4096, noteBytes: 8192);
        _entries.Notes = new LiveNotes(state);
        Assert.True(_entries.TrySet("a", new PinnedEntry(new ValueHeader(Lifetime.From(Now, absolute: 0, window: 100), Now, ValueKind.Whole), new byte[10]), Now));
        _entries.Find("a")!.Renew(Now + 90);
        var found = new PinnedEntries(Capacity);

        Assert.True(found.TryLoad(new LiveNotes(state).All, Now + 150));

        Assert.False(found.Find("a")!.Header.Lifetime.IsOver(Now + 180));
        Assert.True(found.Find("a")!.Header.Lifetime.IsOver(Now + 250));
    }

    [Fact]
    public void TryLoad_WhatWasSaved_IsTheSame()
    {
        _entries.TrySet("plain", Entry(10, deadline: 77), Now);
        _entries.TrySet("lone \ud800", Entry(0), Now);
        var loaded = new PinnedEntries(Capacity);
        Assert.True(loaded.TryLoad(_entries.Save(), now: 0));
        Assert.Equal(_entries.Find("plain")!.Value, loaded.Find("plain")!.Value);
        Assert.Equal(77, loaded.Find("plain")!.Header.Deadline);
        Assert.NotNull(loaded.Find("lone \ud800"));
        Assert.Equal(2, loaded.Count);
    }

    [Fact]
    public void TryLoad_LessRoom_Fails()
    {
        for (int i = 0; i < 5; i++) _entries.TrySet($"{i}", Entry(100), Now);
        Assert.False(new PinnedEntries(1000).TryLoad(_entries.Save(), Now));
    }

    [Fact]
    public void TryLoad_CutOrChanged_Fails()
    {
        _entries.TrySet("a", Entry(10), Now);
        byte[] saved = _entries.Save();
        Assert.False(new PinnedEntries(Capacity).TryLoad(saved.AsSpan(0, saved.Length - 1), Now));
        saved[^1] ^= 1;
        Assert.False(new PinnedEntries(Capacity).TryLoad(saved, Now));
    }

    /// <summary>Notes are added one behind the other: those of entries that have expired come before those that took their place.</summary>
    [Fact]
    public void TryLoad_WhatHasExpiredTakesAllRoom_MakesRoom()
    {
        byte[] Fill(string prefix, long deadline)
        {
            var entries = new PinnedEntries(Capacity);
            for (int i = 0; entries.TrySet($"{prefix}{i}", Entry(100, deadline), Now); i++)
            {
            }

            return entries.Save();
        }

        byte[] saved = [.. Fill("older", Now + 1), .. Fill("newer", Now + 100)];
        var loaded = new PinnedEntries(Capacity);
        Assert.True(loaded.TryLoad(saved, Now + 2));
        Assert.Null(loaded.Find("older0"));
        Assert.NotNull(loaded.Find("newer0"));
    }

    private static PinnedEntry Entry(int bytes, long deadline = 0)
    {
        byte[] value = new byte[bytes];
        new Random(bytes).NextBytes(value);
        return new PinnedEntry(new ValueHeader(new Lifetime(deadline, 0, deadline), Now, ValueKind.Whole), value);
    }
}
