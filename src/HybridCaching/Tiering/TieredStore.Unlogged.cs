using HybridCaching.Diagnostics;

namespace HybridCaching.Tiering;

/// <summary>When the log gets what only copies in the hot tier have. See docs/concurrency.md.</summary>
internal abstract partial class TieredStore<TSession, TReader>
{
    /// <summary>So many entries are stored in the log in one tick that only copies have.</summary>
    private const int MostLoggedPerTick = 100_000;

    /// <summary>How long there is waited for room for them: later will do.</summary>
    private static readonly TimeSpan PatienceToLog = TimeSpan.FromMilliseconds(20);

    /// <summary>So often the log gets what only copies have, even if that need not be written so soon: a copy that is not used any more can be given up then.</summary>
    private static readonly TimeSpan LongestUnlogged = TimeSpan.FromSeconds(30);

    private long _ticksUntilLogged = Housekeeper.TicksPer(LongestUnlogged);
    private int _rowToLog;

    /// <summary>Stores in the log what only copies in the hot tier have, so that it comes to the disk.</summary>
    /// <param name="row">The row of the hot tier to begin with, and then to go on with.</param>
    /// <param name="most">No more than about so many.</param>
    /// <param name="patience">How long to wait for room in the log.</param>
    /// <returns>Whether it came to the last row.</returns>
    protected virtual bool LogCopies(ref int row, int most, TimeSpan patience) => true;

    /// <summary>The same for all rows, as far as there is room.</summary>
    protected void LogCopies(TimeSpan patience)
    {
        int row = 0;
        LogCopies(ref row, int.MaxValue, patience);
    }

    /// <summary>The same in housekeeping, as many as may be in one tick.</summary>
    /// <param name="mustLog">Whether it is time to, whenever that was done last.</param>
    /// <returns>Whether it was done; else it goes on at the next tick.</returns>
    private bool HasLoggedCopies(bool mustLog)
    {
        if (--_ticksUntilLogged > 0 && !mustLog) return true;
        if (!LogCopies(ref _rowToLog, MostLoggedPerTick, PatienceToLog)) return false;
        _rowToLog = 0;
        _ticksUntilLogged = Housekeeper.TicksPer(LongestUnlogged);
        return true;
    }

    /// <summary>Stores in the log what only copies in the hot tier have. What that does not come to in time is a miss for the next process.</summary>
    private void LogCopiesInTime()
    {
        if (_rows.UnloggedCopies == 0) return;
        var thread = Begin(() =>
        {
            try
            {
                LogCopies(PatienceToLog);
            }
            catch (Exception e)
            {
                Log.HousekeepingFailed(_logger, _settings.Name, e);
            }
        });
        thread.Join(Patience);
    }
}
