using System.Text.Json;
using HybridCaching.Devices;

namespace HybridCaching.Recovery;

/// <summary>What a process leaves that ends without closing its cache: a file that says which <see cref="LiveState"/> leads to the records in the folder.</summary>
internal sealed partial class CheckpointFiles
{
    private const string LiveName = "live";

    /// <summary>A file that seems to be a segment so far beyond those that are known is none: there are never as many.</summary>
    private const int MostBeyond = 1 << 16;

    /// <summary>Reads which state leads to the records of a folder that was not closed; null if none does.</summary>
    public static Manifest? ReadLive(CacheFolder folder) => ReadLive(folder, out _);

    /// <inheritdoc cref="ReadLive(CacheFolder)"/>
    /// <param name="folder">The folder.</param>
    /// <param name="isUnreadable">Whether something says so, but cannot be read.</param>
    public static Manifest? ReadLive(CacheFolder folder, out bool isUnreadable) => Read(() => folder.ReadAll(LiveName, MaximumManifestBytes), out isUnreadable);

    /// <summary>The same of a folder that may be another cache's, or not be there.</summary>
    public static Manifest? PeekLive(string folder) => PeekLive(folder, out _);

    /// <summary>Whether a folder, which may be another cache's, may still be led to by a state: not if it is not there, or says that it is another one. What cannot be read just now may be read later.</summary>
    public static bool MayLeadTo(string folder, Guid state) => PeekLive(folder, out bool isUnreadable) is { } live ? live.LiveState == state : isUnreadable;

    /// <summary>Takes away the state that leads to the records of a folder, unless somebody uses it; the file that names it stays. No checkpoint may be there that counts no more: the state may be all that says so.</summary>
    /// <returns>Whether there is such a file.</returns>
    public static bool DeleteLiveState(CacheFolder folder)
    {
        if (ReadLive(folder) is not { } live) return false;
        LiveState.Delete(live.LiveState);
        return true;
    }

    /// <summary>Takes away the checkpoint of a folder, and then its state.</summary>
    /// <exception cref="IOException">The checkpoint cannot be deleted; the state is still there.</exception>
    /// <exception cref="UnauthorizedAccessException">The same.</exception>
    public static void DeleteManifestAndState(CacheFolder folder)
    {
        folder.DeleteForGood(ManifestName);
        DeleteLiveState(folder);
    }

    /// <summary>Says which state leads to the records of this folder from now on.</summary>
    /// <exception cref="IOException">It cannot be written.</exception>
    public void WriteLive(Manifest live) => Replace(LiveName, live, mayCommit: null);

    /// <summary>No state leads to the records of this folder any more.</summary>
    /// <exception cref="IOException">It cannot be deleted.</exception>
    public void DeleteLive()
    {
        Folder.Delete(LiveName);
        CountBytes();
    }

    /// <summary>Deletes the segments that a state knows nothing of, and those in which nothing is in use.</summary>
    /// <param name="checksums">What it knows of.</param>
    /// <param name="isInUse">Whether something of a segment is in use.</param>
    /// <param name="next">A segment of FASTER's log that is beyond all it leads to. It may have led to later ones than there are.</param>
    /// <returns>The first segment of FASTER's log that there never was.</returns>
    public int KeepSegments(BlockChecksums checksums, Func<int, bool> isInUse, int next)
    {
        int most = next + MostBeyond;
        foreach (string name in Folder.List().ToList())
        {
            bool isOfLog = SegmentFiles.TryParse(name, LogPrefix, out int number);
            if (!isOfLog && !SegmentFiles.TryParse(name, MainPrefix, out number)) continue;
            if (isOfLog && number < most) next = Math.Max(next, number + 1);
            if (!isInUse(isOfLog ? number : number + SegmentFiles.FirstOfMain)) Folder.Delete(name);
        }

        foreach (int segment in checksums.Segments.ToList())
        {
            if (segment < SegmentFiles.FirstOfMain) next = Math.Max(next, segment + 1);
            if (!isInUse(segment)) checksums.Remove(segment);
        }

        DeleteRecovered();
        return next;
    }

    private static Manifest? PeekLive(string folder, out bool isUnreadable) => Read(() => CacheFolder.ReadAll(folder, LiveName, MaximumManifestBytes), out isUnreadable);

    private static Manifest? Read(Func<byte[]?> read, out bool isUnreadable)
    {
        isUnreadable = false;
        try
        {
            if (read() is not { } bytes) return null;
            if (bytes.Length > 0 && Parse(bytes) is { } manifest && manifest.LiveState != default) return manifest;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException)
        {
            // As below.
        }

        isUnreadable = true;
        return null;
    }
}
