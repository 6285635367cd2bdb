namespace HybridCaching.Store;

/// <summary>A place of a session. A struct around the reference saves the type check that arrays of references make; not generic, it saves the look for the type that code shared by all kinds of sessions makes.</summary>
internal struct SessionSlot
{
    public LogSession? Session;
}
