namespace HybridCaching.Tests.Distributed;

/// <summary>What a sequence of bytes may be made of.</summary>
public enum SequenceKind
{
    WholeArray,
    PartOfAnArray,
    UnpinnableMemory,
    ManySegments,
}
