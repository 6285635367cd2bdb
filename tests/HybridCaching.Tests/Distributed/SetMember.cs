namespace HybridCaching.Tests.Distributed;

/// <summary>The members that store a value.</summary>
public enum SetMember
{
    Set,
    SetAsync,
    SetSequence,
    SetSequenceAsync,
}
