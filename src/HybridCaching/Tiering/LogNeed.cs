namespace HybridCaching.Tiering;

/// <summary>What the log would do with more memory, or with less.</summary>
internal enum LogNeed
{
    /// <summary>Neither would change anything soon: it has not filled what it has, or little is being stored and little lies idle.</summary>
    Same,

    /// <summary>It has filled all of it, and goes on storing.</summary>
    More,

    /// <summary>At least a way of the hot tier lies idle, and will for a while: little is being stored, or the log may not have more in memory.</summary>
    Less,
}
