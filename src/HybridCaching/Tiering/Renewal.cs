namespace HybridCaching.Tiering;

/// <summary>What came of prolonging the life of an entry.</summary>
internal enum Renewal
{
    /// <summary>There is nothing to do any more.</summary>
    Done,

    /// <summary>It has to be stored again, and so read with its value.</summary>
    NeedsValue,

    /// <summary>It has to be read once more: meanwhile a key of its row was changed, and that may have been this one.</summary>
    Open,
}
