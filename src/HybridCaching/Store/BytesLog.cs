using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using FASTER.core;
using HybridCaching.Configuration;
using HybridCaching.Devices;
using HybridCaching.Records;

namespace HybridCaching.Store;

/// <summary>A log of records of any length: those of the bytes cache.</summary>
internal sealed unsafe class BytesLog : FasterLog<SpanByte, SpanByte, BytesSession, BytesReader>
{
    /// <summary>What is read from the disk at first where nothing is known of the records yet.</summary>
    private const int FirstReadBytes = MemoryPlan.BlockBytes;

    /// <summary>No less is read. Where records are short, most lie in one block, and of a whole block's length none would.</summary>
    private const int LeastReadBytes = 512;

    private const int LineBytes = 64;
    private const int PrefetchBytes = 1 << 10;

    /// <summary>Where the first record of a new log lies.</summary>
    public const long FirstAddress = 64;

    private int _usualBytes = FirstReadBytes;

    private readonly KeyHasher _hasher;

    public BytesLog(MemoryPlan plan, KeyHasher hasher, LogDevice? device, ICheckpointManager? checkpoints)
        : base(plan, new BytesComparer(hasher), device, checkpoints, LogConcurrency.InPlaceLatched) => _hasher = hasher;

    public ulong HashOf(ReadOnlySpan<byte> key) => _hasher.Hash(key);

    /// <summary>Bytes of a record that a read of the disk begins with, so that one read is enough for most. Follows what is read; threads may overwrite one another's guess.</summary>
    public int UsualBytes => Volatile.Read(ref _usualBytes);

    /// <summary>Records below this address were there when the cache was opened. What became of their page in a recovery only their check can tell.</summary>
    public long RecoveredBelow { get; private set; }

    public override void Recover(Guid token)
    {
        base.Recover(token);
        RecoveredBelow = TailAddress;
    }

    /// <summary>Asks the processor to fetch the record that will be overwritten, if this is where it is: its lines side by side, while the new value is being checked.</summary>
    public void PrefetchRecord(ulong hash, int bytes)
    {
        long address = IndexGuess(hash);
        if (!Sse.IsSupported || address < HeadAddress) return;
        byte* record = (byte*)RecordAt(address); // should the page leave this moment, a useless line is fetched
        for (int at = 0; at < Math.Min(bytes, PrefetchBytes); at += LineBytes) Sse.Prefetch0(record + at);
    }

    /// <summary>Learns how long a record was that was read.</summary>
    public void NoteLength(int bytes)
    {
        int usual = UsualBytes;
        int next = bytes > usual ? Math.Min(bytes, usual + Math.Max(MemoryPlan.BlockBytes, (bytes - usual) / 2)) : Math.Max(LeastReadBytes, usual - ((usual - bytes) / 64));
        if (next != usual) Volatile.Write(ref _usualBytes, next);
    }

    /// <summary>Follows a chain as long as it is in memory. Inside the epoch only, which keeps the pages there.</summary>
    /// <returns>Whether a record of the key is there, at <paramref name="address"/>; else that is where the chain goes on.</returns>
    public bool TryFindInMemory(ReadOnlySpan<byte> key, ref long address)
    {
        long head = HeadAddress;
        while (address >= head)
        {
            var info = RecordAt(address);
            if (info->Valid && KeyAt(info).SequenceEqual(key)) return true; // one just appended is not valid yet
            address = info->PreviousAddress;
        }

        return false;
    }

    /// <summary>The record at an address that is in memory. Inside the epoch only.</summary>
    /// <returns>False if there is none.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReadInMemory(long address, out BytesRecord record) => BytesRecord.TryRead(RestOfPage(address), out record);

    /// <summary>Where the next record may begin in memory if there is none here. Inside the epoch only.</summary>
    public long BehindGap(long address) => BytesRecord.Gap(RestOfPage(address)) is > 0 and var gap ? Math.Min(address + gap, EndOfPage(address)) : EndOfPage(address);

    /// <summary>Whether a record in memory that cannot be changed any more is whole and alive and what its key stands for. Inside the epoch only.</summary>
    public bool IsNewest(long address, in BytesRecord record, long now, out ulong hash, out ulong owner, out bool hasName)
    {
        (hash, owner, hasName) = (0, 0, false);
        if (record.Info.Tombstone || !IsInUse(address) || !ValueHeader.TryParse(record.Payload, out var header, out var value) || !header.IsIntact(record.Key, value)) return false;
        if (header.Deadline != 0 && header.Lifetime.IsOver(now)) return false;
        hasName = header.Kind != ValueKind.Chunk;
        hash = HashOf(record.Key);
        owner = OwnerOf(hash, in record, in header, value);
        return IsNewest(address, hash, record.Key);
    }

    /// <summary>Whether a record in memory is what its key stands for, unless a newer one is being appended. Inside the epoch only.</summary>
    public bool IsNewest(long address) => IsInUse(address) && TryReadInMemory(address, out var record) && IsNewest(address, HashOf(record.Key), record.Key);

    private bool IsNewest(long address, ulong hash, ReadOnlySpan<byte> key)
    {
        long newest = NewestInChain(hash);
        return newest == address || (TryFindInMemory(key, ref newest) && newest == address);
    }

    /// <summary>What all records of one value have in common: the owner of its pieces, or the hash of its key.</summary>
    public static ulong OwnerOf(ulong hash, in BytesRecord record, in ValueHeader header, ReadOnlySpan<byte> value) => header.Kind switch
    {
        ValueKind.Chunk => ChunkList.OwnerOf(KeyText.ChunkIdOf(record.Key)),
        ValueKind.ChunkList when ChunkList.TryParse(value, out var pieces) => pieces.Owner,
        _ => hash,
    };

    /// <summary>Copies the value of a record in memory. Inside the epoch only.</summary>
    /// <param name="address">Where the record begins.</param>
    /// <param name="isLatched">Whether to keep it from being overwritten meanwhile. If not, the caller knows by its row whether it was.</param>
    /// <param name="found">What was found.</param>
    /// <param name="buffer">Where the value goes.</param>
    /// <param name="lookup">The result.</param>
    /// <returns>False if the key has to be looked up again.</returns>
    public bool TryCopy(long address, bool isLatched, ref FoundValue found, ref ValueBuffer buffer, out Lookup lookup)
    {
        lookup = Lookup.NotFound;
        var info = RecordAt(address);
        if (info->IsClosed) return false;
        if (info->Tombstone || address < ClearedBelow) return true;
        if (isLatched && !info->TryLockShared()) return false;
        try
        {
            if (!TryReadInMemory(address, out var record)) return !isLatched;
            lookup = TakeValue(in record, mustCheck: address < RecoveredBelow, ref found, ref buffer);
            return true;
        }
        finally
        {
            if (isLatched) info->UnlockShared();
        }
    }

    /// <summary>Takes the value of a record over.</summary>
    public static Lookup TakeValue(in BytesRecord record, bool mustCheck, ref FoundValue found, ref ValueBuffer buffer)
    {
        if (!ValueHeader.TryParse(record.Payload, out var header, out var value)) return Lookup.Damaged;
        if (mustCheck && !header.IsIntact(record.Key, value)) return Lookup.Damaged;
        return found.TryTake(in header, value, ref buffer) ? Lookup.Found : Lookup.Damaged;
    }

    /// <summary>Overwrites a value in place, if the new one takes the same room. Inside the epoch only.</summary>
    public bool TryOverwrite(long address, int keyBytes, in RecordSource source)
    {
        if (!TryBeginOverwrite(address)) return false;
        byte* payload = (byte*)RecordAt(address) + BytesRecord.PayloadOffset(keyBytes);
        int* length = (int*)payload - 1;
        bool fits = BytesRecord.IsSameSize(*length, source.Bytes);
        if (fits)
        {
            *length = source.Bytes;
            source.CopyTo(payload);
        }

        EndOverwrite(address);
        return fits;
    }

    /// <summary>Renews the deadline of a value in place, which readers may see at any moment. Inside the epoch only, with the key's row locked.</summary>
    /// <returns>False if the record may not be changed any more.</returns>
    public bool TryRenew(long address, int keyBytes, long deadline)
    {
        if (!TryBeginOverwrite(address)) return false;
        Volatile.Write(ref *(long*)((byte*)RecordAt(address) + BytesRecord.PayloadOffset(keyBytes) + ValueHeader.DeadlineOffset), deadline);
        EndOverwrite(address);
        return true;
    }

    public override BytesSession NewSession() => new(this, Store.For(new BytesFunctions()).NewSession<BytesFunctions>());

    public override BytesReader NewReader() => new(this, new RecordRead(Plan.LargestRecordBytes));

    public override BytesReader NewCollector() => new(this, new RecordRead(Plan.MoveBytes - MemoryPlan.BlockBytes)) { IsTraced = false };

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ReadOnlySpan<byte> RestOfPage(long address) => new(RecordAt(address), (int)(EndOfPage(address) - address));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ReadOnlySpan<byte> KeyAt(RecordInfo* info) => new((int*)(info + 1) + 1, *(int*)(info + 1));
}
