namespace HybridCaching.Diagnostics;

/// <summary>Notices that something is waited for and nothing comes. One caller at a time.</summary>
internal struct Standstill
{
    private long? _ended;

    /// <summary>For how many looks in a row nothing has ended although something is waited for.</summary>
    public int Looks { get; private set; }

    /// <param name="ended">How much has ended so far; null while nothing is waited for.</param>
    public void Look(long? ended)
    {
        Looks = ended is not null && ended == _ended ? Looks + 1 : 0;
        _ended = ended;
    }
}
