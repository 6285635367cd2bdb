using HybridCaching.Devices;

namespace HybridCaching.Store;

internal sealed unsafe partial class SettledIndex
{
    /// <summary>So much is written or read in one go.</summary>
    private const int PartBytes = 1 << 20;

    /// <summary>Writes all words, for a checkpoint. Nobody may do more than count hits meanwhile, and no table may be growing.</summary>
    /// <returns>A checksum.</returns>
    public uint Save(Stream to)
    {
        var sums = new List<uint>();
        byte[] copy = new byte[Math.Min(PartBytes, Bytes)];
        foreach (var table in _tables)
        {
            for (long offset = 0; offset < table.Bytes; offset += PartBytes)
            {
                var now = table.Part(offset, PartBytes);
                var part = copy.AsSpan(0, now.Length);
                now.CopyTo(part); // hits may still be counted
                to.Write(part);
                sums.Add(Crc32C.Of(part));
            }
        }

        return Crc32C.Of(sums);
    }

    /// <summary>Takes over what <see cref="Save"/> wrote. Nobody may use the index meanwhile.</summary>
    /// <param name="from">Where it is.</param>
    /// <param name="checksum">What <see cref="Save"/> has returned.</param>
    /// <param name="probation">What is in use of FASTER's older segments.</param>
    /// <param name="main">What is in use of the main log.</param>
    /// <param name="groups">How many groups each table had.</param>
    /// <exception cref="InvalidDataException">It is something else.</exception>
    /// <exception cref="EndOfStreamException">There is less than there should be.</exception>
    /// <exception cref="IOException">The system has no memory for it.</exception>
    public void Load(Stream from, uint checksum, Extent probation, Extent main, ReadOnlySpan<int> groups)
    {
        for (int i = 0; i < _tables.Length; i++)
        {
            if (!_tables[i].TryReserve(groups[i])) throw new IOException("the system has no memory for the index");
            _tables[i].Set(groups[i]);
        }

        var sums = new List<uint>();
        foreach (var table in _tables)
        {
            for (long offset = 0; offset < table.Bytes; offset += PartBytes)
            {
                var part = table.Part(offset, PartBytes);
                from.ReadExactly(part);
                sums.Add(Crc32C.Of(part));
            }
        }

        if (Crc32C.Of(sums) != checksum || from.ReadByte() >= 0) throw new InvalidDataException("the index of the main log is damaged");
        (Probation, Main) = (probation, main);
        Recount();
    }

    /// <summary>Counts the words there are, and forgets those that lead nowhere, or were about to leave their place when the process ended.</summary>
    private void Recount()
    {
        _isUsed = true;
        foreach (var table in _tables)
        {
            if (table.GroupsToBe > table.Groups) _growing = table;
            for (long i = 0; i < table.Words; i++)
            {
                ref ulong word = ref table.Start[i];
                if (word != 0 && !table.BelongsAt(i, ClassOf(word))) word = 0;
                if (word != 0) _counts.Words++;
            }
        }

        Sweep();
    }
}
