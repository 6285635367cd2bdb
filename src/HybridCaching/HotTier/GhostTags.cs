using System.Runtime.CompilerServices;

namespace HybridCaching.HotTier;

/// <summary>The tags of the keys that a row has dropped last, and when. For who has the row's lock, or is the only one that fills.</summary>
[InlineArray(Length)]
internal struct GhostTags
{
    /// <summary>So many it remembers: as many as a row of references has copies, half of what another has.</summary>
    public const int Length = 16;

    /// <summary>A key is remembered for so many units of time.</summary>
    public const int Lifetime = 8;

    /// <summary>A tag, and above it the time; 0 for none. The newest is the first.</summary>
    private ushort _first;

    /// <summary>Remembers a key; the oldest is forgotten.</summary>
    /// <param name="tag">The key's tag; never 0.</param>
    /// <param name="now">The time, in any unit; it comes round again.</param>
    public void Add(byte tag, byte now)
    {
        Span<ushort> ghosts = this;
        ghosts[..^1].CopyTo(ghosts[1..]);
        ghosts[0] = (ushort)((now << 8) | tag);
    }

    /// <summary>Whether a key with this tag is remembered. For anybody: beside somebody who changes that, the answer may be either.</summary>
    public readonly bool Has(byte tag, byte now)
    {
        ReadOnlySpan<ushort> ghosts = this;
        foreach (ushort ghost in ghosts)
        {
            if (IsOf(ghost, tag, now)) return true;
        }

        return false;
    }

    /// <summary>Whether a key with this tag was dropped not long ago; it is remembered no more.</summary>
    public bool TryRemove(byte tag, byte now)
    {
        Span<ushort> ghosts = this;
        foreach (ref ushort ghost in ghosts)
        {
            if (!IsOf(ghost, tag, now)) continue;
            ghost = 0;
            return true;
        }

        return false;
    }

    private static bool IsOf(ushort ghost, byte tag, byte now) => (byte)ghost == tag && (byte)(now - (ghost >> 8)) < Lifetime;
}
