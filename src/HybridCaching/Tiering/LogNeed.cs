namespace HybridCaching.Tiering;

/// <summary>What the log would do with more memory, or with less.</summary>
internal enum LogNeed
{
    /// <summary>It has not filled what it has yet.</summary>
    Same,

    /// <summary>It has filled all of it, and goes on storing.</summary>
    More,

    /// <summary>Nothing is being stored, and at least a way of the hot tier lies idle.</summary>
    Less,
}
