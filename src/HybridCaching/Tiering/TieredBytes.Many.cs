using HybridCaching.Records;
using HybridCaching.Store;

namespace HybridCaching.Tiering;

internal sealed partial class TieredBytes
{
    /// <summary>Keys whose reads of the disk are under way at once.</summary>
    private const int BatchKeys = 32;

    /// <summary>Reads many values, as <see cref="ReadAsync{TDestination}"/> does one. Reads of the disk overlap; the disk timeout counts for each batch.</summary>
    /// <param name="keys">Which.</param>
    /// <param name="cancellationToken">Ends the wait for the disk.</param>
    /// <returns>The values, new arrays, in the order of the keys; null where there is none.</returns>
    public async ValueTask<byte[]?[]> ReadManyAsync(IReadOnlyList<string> keys, CancellationToken cancellationToken)
    {
        byte[]?[] values = new byte[]?[keys.Count];
        var cold = new List<(KeyRead Read, int Index)>();
        List<string>? open = null;
        for (int i = 0; i < values.Length; i++)
        {
            if (!TryReadInMemory(keys[i], out values[i], out var it, out var renewal)) cold.Add((it!, i));
            if (renewal == Renewal.Open) (open ??= []).Add(keys[i]);
            if (cold.Count == 0 || (cold.Count < BatchKeys && i < values.Length - 1)) continue;
            await ReadBatchAsync(keys, cold, cancellationToken).ConfigureAwait(false);
            foreach (var (read, index) in cold) values[index] = read.Read.IsHit ? read.Read.Buffer.Array : null;
            cold.Clear();
        }

        foreach (string key in open ?? []) await RenewOnceMoreAsync(key, isAsync: true).ConfigureAwait(false);
        return values;
    }

    /// <returns>False if something has to be waited for: <paramref name="it"/> says how far the read has come.</returns>
    private bool TryReadInMemory(string key, out byte[]? value, out KeyRead? it, out Renewal renewal)
    {
        var destination = default(ArrayDestination);
        it = null;
        renewal = Renewal.Done;
        using var encoded = new KeyBuffer(key, stackalloc byte[KeyBuffer.StackBytes]);
        ulong hash = HashOf(key, encoded.Bytes);
        if (!TryReadHot(encoded.Bytes, hash, ref destination, out _))
        {
            var read = new BytesRead(destination.Buffer);
            if (TryReadInMemory(mayBlock: false, encoded.Bytes, hash, ref read))
            {
                renewal = Conclude(key, encoded.Bytes, hash, ref read);
                destination.Accept(ref read);
            }
            else
            {
                it = new KeyRead(encoded.Bytes.ToArray(), hash, read);
            }
        }

        value = destination.Bytes;
        return it is null;
    }

    /// <summary>Reads from the disk together what is only that; then side by side what more has to be waited for.</summary>
    private async ValueTask ReadBatchAsync(IReadOnlyList<string> keys, List<(KeyRead Read, int Index)> cold, CancellationToken cancellationToken)
    {
        var onDisk = cold.Where(static c => c.Read.Read.State == BytesReadState.AtDisk).ToArray();
        await new KeysAtOnce(this, onDisk, cancellationToken).RunAsync(onDisk.Length, isAsync: true).ConfigureAwait(false);
        List<Task>? others = null;
        foreach (var (it, index) in cold)
        {
            if (it.Read.State is not (BytesReadState.Hit or BytesReadState.Miss)) (others ??= []).Add(WaitAndConcludeAsync(keys[index], it, isAsync: true, cancellationToken).AsTask());
            else if (Conclude(keys[index], it.Key, it.Hash, ref it.Read) == Renewal.Open) (others ??= []).Add(RenewOnceMoreAsync(keys[index], isAsync: true).AsTask());
        }

        if (others is not null) await Task.WhenAll(others).ConfigureAwait(false);
    }

    /// <summary>Reads of a batch.</summary>
    private sealed class KeysAtOnce(TieredBytes tiers, (KeyRead Read, int Index)[] reads, CancellationToken cancellationToken)
        : ReadsAtOnce<BytesReader>(tiers._readers, tiers.Device, tiers.TimeLeft, cancellationToken)
    {
        protected override bool TryGoOn(BytesReader reader, int item)
        {
            var it = reads[item].Read;
            if (!tiers.TryReadDisk(reader, it, ref reader.Counters)) return false;
            if (it.Read.State == BytesReadState.Found) tiers.Judge(ref reader.Counters, ref it.Read);
            if (it.Read.State != BytesReadState.AtChunks) tiers.EndWait(it, ref reader.Counters);
            return true;
        }

        protected override void OnTimeout(int item)
        {
            var it = reads[item].Read;
            it.Read.State = BytesReadState.Miss;
            tiers.CountTimeout(in it.Read);
        }
    }
}
