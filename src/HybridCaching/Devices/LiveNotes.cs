namespace HybridCaching.Devices;

/// <summary>Notes in a <see cref="LiveState"/>, one behind the other. Whoever finds them finds all that were complete. One caller at a time.</summary>
/// <remarks>There are two places for them: when one is full, what still counts is written into the other one, and a single word then says that it is that one from now on.</remarks>
internal sealed unsafe class LiveNotes
{
    private const int WordBytes = sizeof(long);

    private readonly LiveState _state;
    private readonly int _placeBytes;

    /// <param name="state">Where they are.</param>
    public LiveNotes(LiveState state)
    {
        _state = state;
        _placeBytes = (int)(Math.Max(0, state.NoteBytes - WordBytes) / 2);
    }

    /// <summary>All notes; live.</summary>
    public ReadOnlySpan<byte> All => Place(IsSecond)[..Length];

    private bool IsSecond => _placeBytes > 0 && Volatile.Read(ref Word) < 0;

    private int Length => _placeBytes == 0 ? 0 : (int)Math.Min(Volatile.Read(ref Word) & int.MaxValue, _placeBytes);

    /// <summary>How many bytes there are, and, as its sign, in which place.</summary>
    private ref long Word => ref *(long*)_state.Notes;

    /// <summary>Adds a note.</summary>
    /// <returns>False if there is no room for it.</returns>
    public bool TryAdd(ReadOnlySpan<byte> note)
    {
        int length = Length;
        if (note.Length > _placeBytes - length) return false;
        note.CopyTo(Place(IsSecond)[length..]);
        Set(IsSecond, length + note.Length);
        return true;
    }

    /// <summary>Lets others take the place of all notes.</summary>
    /// <returns>False if there is no room for them.</returns>
    public bool TryReplace(ReadOnlySpan<byte> all)
    {
        if (all.Length > _placeBytes) return false;
        bool isSecond = !IsSecond;
        all.CopyTo(Place(isSecond));
        Set(isSecond, all.Length);
        return true;
    }

    private void Set(bool isSecond, int length)
    {
        if (_placeBytes > 0) Volatile.Write(ref Word, isSecond ? long.MinValue | (uint)length : length);
    }

    private Span<byte> Place(bool isSecond) => _placeBytes == 0 ? [] : new Span<byte>(_state.Notes + WordBytes + (isSecond ? _placeBytes : 0), _placeBytes);
}
