namespace HybridCaching.Tiering;

/// <summary>How far a read has come.</summary>
internal enum BytesReadState
{
    /// <summary>The log has to be asked.</summary>
    AtLog,

    /// <summary>The disk has to be asked.</summary>
    AtDisk,

    /// <summary>Something was found, which is not judged yet.</summary>
    Found,

    /// <summary>A value in pieces was found; they have to be read.</summary>
    AtChunks,

    /// <summary>Over: a value.</summary>
    Hit,

    /// <summary>Over: nothing.</summary>
    Miss,
}
