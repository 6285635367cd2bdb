using HybridCaching.Devices;
using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

public sealed class WriteBudgetTests
{
    private const int BytesPerSecond = 1000;

    /// <summary>What comes in ten seconds.</summary>
    private const int Burst = 10 * BytesPerSecond;

    private readonly ManualTimeProvider _clock = new();

    [Fact]
    public void TryTake_WhatComesInTenSeconds_IsGranted() => Assert.True(New().TryTake(Burst));

    [Fact]
    public void TryTake_MoreThanThereIs_IsRefused()
    {
        var budget = New();
        budget.TryTake(Burst);

        Assert.False(budget.TryTake(1));
    }

    [Fact]
    public void TryTake_TimeHasPassed_IsGrantedWhatCameMeanwhile()
    {
        var budget = New();
        budget.TryTake(Burst);
        _clock.Advance(TimeSpan.FromSeconds(2));

        Assert.False(budget.TryTake((2 * BytesPerSecond) + 1));
        Assert.True(budget.TryTake(2 * BytesPerSecond));
    }

    [Fact]
    public void TryTake_LongPause_IsGrantedNoMoreThanTheBurst()
    {
        var budget = New();
        _clock.Advance(TimeSpan.FromDays(1));

        Assert.True(budget.TryTake(Burst));
        Assert.False(budget.TryTake(1));
    }

    [Fact]
    public void TryTake_PageThatTakesLongerThanTheBurst_IsGrantedInTheEnd()
    {
        var budget = New(mostAtOnce: 4 * Burst);
        budget.TryTake(4 * Burst);
        _clock.Advance(TimeSpan.FromSeconds(39));

        Assert.False(budget.TryTake(4 * Burst));
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.True(budget.TryTake(4 * Burst));
    }

    [Fact]
    public void Take_MoreThanThereIs_IsPaidLater()
    {
        var budget = New();
        budget.Take(Burst + (3 * BytesPerSecond));
        _clock.Advance(TimeSpan.FromSeconds(3));

        Assert.False(budget.TryTake(1));
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.True(budget.TryTake(BytesPerSecond));
    }

    [Fact]
    public void Take_AStorm_IsForgivenAfterTwoBursts()
    {
        var budget = New();
        budget.Take(int.MaxValue);
        _clock.Advance(TimeSpan.FromSeconds(20));

        Assert.True(budget.TryTake(Burst));
    }

    [Fact]
    public void IsShort_NothingRefused_IsFalse()
    {
        var budget = New();
        budget.TryTake(Burst);

        Assert.False(budget.IsShort);
    }

    [Fact]
    public void IsShort_Refused_EndsWhenItIsHalfFullAgain()
    {
        var budget = New();
        budget.TryTake(Burst);
        budget.TryTake(1);

        _clock.Advance(TimeSpan.FromSeconds(4));
        budget.TryTake(0);
        Assert.True(budget.IsShort);
        _clock.Advance(TimeSpan.FromSeconds(1));
        budget.TryTake(0);
        Assert.False(budget.IsShort);
    }

    private WriteBudget New(int mostAtOnce = 1) => new(BytesPerSecond, mostAtOnce, _clock);
}
