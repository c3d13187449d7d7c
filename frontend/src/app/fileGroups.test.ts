// Which files go together to the server.
import { describe, expect, it } from 'vitest'

import { groupFiles, kindOf } from './fileGroups'

const grouped = (...names: string[]) =>
  groupFiles(names.map((name) => new File(['x'], name))).map(({ kind, file, data }) => [kind, file.name, ...data.map((one) => one.name)])

describe('groups of files', () => {
  it.each([
    ['net.onnx', 'model'],
    ['Costs.JSON', 'tables'],
    ['rack.toml', 'pool'],
    ['weights', 'model'],
    ['net.zip', 'model'],
  ])('takes %s as a %s', (name, kind) => {
    expect(kindOf(name)).toBe(kind)
  })

  it('puts every data file to the only model', () => {
    expect(grouped('w.bin', 'net.onnx', 'conv1.weight', 'rack.toml')).toEqual([
      ['model', 'net.onnx', 'w.bin', 'conv1.weight'],
      ['pool', 'rack.toml'],
    ])
  })

  it('tells the data of several models apart by their names', () => {
    expect(grouped('a.onnx', 'b.onnx', 'b.onnx.data', 'a.onnx_data', 'other.bin')).toEqual([
      ['model', 'a.onnx', 'a.onnx_data'],
      ['model', 'b.onnx', 'b.onnx.data'],
      ['model', 'other.bin'],
    ])
  })

  it('takes an archive for a model of its own', () => {
    expect(grouped('a.onnx', 'b.zip', 'c.tar.gz')).toEqual([
      ['model', 'a.onnx'],
      ['model', 'b.zip'],
      ['model', 'c.tar.gz'],
    ])
  })
})
