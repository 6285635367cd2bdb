namespace HybridCaching.Devices;

/// <summary>What a request does.</summary>
internal enum IoKind : byte
{
    Read,
    Write,
    Remove,
}
