namespace HybridCaching.CrashTests.Child;

/// <summary>A cache, whichever it is, as the crash tests use it.</summary>
internal interface ISubject : IDisposable
{
    public bool TryRead(int key, out Reading reading);

    /// <summary>Stores a value.</summary>
    /// <param name="value">The value, its key, and how long it shall live; that slides for keys of which <see cref="SharedState.Slides"/> says so.</param>
    public void Set(in Reading value);

    public void Remove(int key);

    /// <summary>Prolongs the life of a key that slides.</summary>
    public void Renew(int key);

    public void Clear();

    /// <summary>Removes all keys of a group.</summary>
    public void RemoveGroup(int group);

    /// <exception cref="ArgumentOutOfRangeException">That does not work.</exception>
    public void Resize(long memoryBudget, long diskBudget);

    public void Flush();

    /// <returns>Whether there is a checkpoint.</returns>
    public bool Checkpoint();

    public CacheStatistics GetStatistics();
}
