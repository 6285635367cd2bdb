using Microsoft.Extensions.Logging;

namespace HybridCaching.Diagnostics;

/// <summary>Looks at the counts of a disk at regular times and says, in a log that nothing can flood, what is wrong with it. One caller at a time.</summary>
/// <param name="cacheName">Whose disk it is.</param>
/// <param name="logger">Where it is said.</param>
/// <param name="looksPerMinute">How often it looks.</param>
internal sealed class DiskWatch(string cacheName, ILogger logger, int looksPerMinute)
{
    private readonly RepeatedMessage _readErrors = new(looksPerMinute);
    private readonly RepeatedMessage _writeErrors = new(looksPerMinute);
    private readonly RepeatedMessage _damage = new(looksPerMinute);
    private readonly RepeatedMessage _troubles = new(looksPerMinute);
    private readonly int _looksUntilHung = looksPerMinute / 30;
    private FailureShare _reads;
    private FailureShare _writes;
    private Standstill _reading;
    private Standstill _writing;
    private long _timesInTrouble;
    private bool _isTroubleSaid;
    private volatile string? _trouble;

    /// <summary>Why the disk is of little use: more than nine of ten of its last reads or writes failed, or one has not been answered for two seconds. Null while it works. Read by anybody.</summary>
    public string? Trouble => _trouble;

    public void Look(DiskCounts now)
    {
        string reason = now.LastError ?? "no reason given";
        if (_readErrors.Due(now.ReadErrors) is > 0 and var reads) Log.DiskReadsFailed(logger, cacheName, reads, reason);
        if (_writeErrors.Due(now.WriteErrors) is > 0 and var writes) Log.DiskWritesFailed(logger, cacheName, writes, reason);
        if (_damage.Due(now.Damaged) is > 0 and var damaged) Log.DamageFound(logger, cacheName, damaged);

        _reading.Look(now.ReadsEnded);
        _writing.Look(now.WritesEnded);
        _reads.Look(now.Reads, now.ReadErrors);
        _writes.Look(now.Writes, now.WriteErrors);
        int hungFor = Math.Max(_reading.Looks, _writing.Looks);
        string? trouble = hungFor >= _looksUntilHung ? $"it has not answered for {hungFor * 60 / looksPerMinute} s"
            : _writes.IsFailing ? $"{_writes.Errors} of its last {_writes.Operations} writes failed: {reason}"
            : _reads.IsFailing ? $"{_reads.Errors} of its last {_reads.Operations} reads failed: {reason}"
            : null;
        if (_trouble is null && trouble is not null) _timesInTrouble++;
        Say(trouble);
        _trouble = trouble; // whoever sees that it is over may look for what was said
    }

    /// <summary>A test has shown that the disk works, which counts for what nobody has asked of it for a second: else trouble would last for as long as nobody needs the disk.</summary>
    public void Works()
    {
        _reads.Works(looksPerMinute / 60);
        _writes.Works(looksPerMinute / 60);
    }

    /// <summary>A disk that comes and goes is told of once a minute.</summary>
    private void Say(string? trouble)
    {
        if (_troubles.Due(trouble is null ? 0 : _timesInTrouble) > 0)
        {
            Log.DiskInTrouble(logger, cacheName, trouble!);
            _isTroubleSaid = true;
        }
        else if (trouble is null && _isTroubleSaid)
        {
            Log.DiskWorksAgain(logger, cacheName);
            _isTroubleSaid = false;
        }
    }
}
